package dev.fewtaps.samples.gadgets;

import android.bluetooth.BluetoothAdapter;
import android.bluetooth.BluetoothDevice;
import android.bluetooth.le.ScanCallback;
import android.bluetooth.le.ScanResult;
import android.content.BroadcastReceiver;
import android.content.Context;
import android.content.Intent;
import android.content.IntentFilter;
import android.content.pm.PackageManager;
import android.content.pm.ResolveInfo;
import android.nfc.NfcAdapter;
import java.util.Locale;

/** Looks for devices nearby. */
public final class NearActivity extends Gadget {
  private final BroadcastReceiver found =
      new BroadcastReceiver() {
        @Override
        public void onReceive(Context context, Intent intent) {
          BluetoothDevice device = intent.getParcelableExtra(BluetoothDevice.EXTRA_DEVICE);
          say("found " + device.getName().toUpperCase(Locale.ROOT)); // Not everything has a name.
        }
      };

  @Override
  void fill() {
    registerReceiver(found, new IntentFilter(BluetoothDevice.ACTION_FOUND));
    button("Turn on", () -> startActivityForResult(new Intent(BluetoothAdapter.ACTION_REQUEST_ENABLE), 1));
    button("Paired", this::paired);
    button("Search", () -> say("search " + BluetoothAdapter.getDefaultAdapter().startDiscovery()));
    button("Scan", this::scan);
    button("Tags", this::tags);
    button("Apps", this::apps);
  }

  private void paired() {
    StringBuilder names = new StringBuilder("paired");
    for (BluetoothDevice device : BluetoothAdapter.getDefaultAdapter().getBondedDevices()) {
      names.append(" ").append(device.getName());
    }
    say(names.toString());
  }

  private void scan() {
    if (BluetoothAdapter.getDefaultAdapter().getBluetoothLeScanner() == null) {
      say("off");
      return;
    }
    BluetoothAdapter.getDefaultAdapter()
        .getBluetoothLeScanner()
        .startScan(
            new ScanCallback() {
              @Override
              public void onScanResult(int type, ScanResult result) {
                say("heard " + result.getScanRecord().getDeviceName() + " " + result.getRssi());
              }
            });
  }

  private void tags() {
    NfcAdapter tags = NfcAdapter.getDefaultAdapter(this);
    say("tags " + (tags != null && tags.isEnabled()));
  }

  private void apps() {
    PackageManager packages = getPackageManager();
    Intent launcher = new Intent(Intent.ACTION_MAIN).addCategory(Intent.CATEGORY_LAUNCHER);
    StringBuilder names = new StringBuilder("apps");
    for (ResolveInfo each : packages.queryIntentActivities(launcher, 0)) {
      names.append(" ").append(each.loadLabel(packages));
    }
    say(names.toString());
    Intent clock = packages.getLaunchIntentForPackage("com.android.deskclock");
    say(packages.getInstalledApplications(0).size() + " installed, clock " + (clock != null));
    if (clock != null) {
      startActivity(clock);
    }
  }

  @Override
  protected void onDestroy() {
    super.onDestroy();
    unregisterReceiver(found);
  }
}
