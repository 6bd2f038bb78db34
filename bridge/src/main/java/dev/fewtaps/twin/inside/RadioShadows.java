package dev.fewtaps.twin.inside;

import static org.robolectric.util.reflector.Reflector.reflector;

import android.bluetooth.BluetoothAdapter;
import android.bluetooth.BluetoothClass;
import android.bluetooth.BluetoothDevice;
import android.bluetooth.le.BluetoothLeScanner;
import android.bluetooth.le.ScanCallback;
import android.bluetooth.le.ScanFilter;
import android.bluetooth.le.ScanRecord;
import android.bluetooth.le.ScanResult;
import android.bluetooth.le.ScanSettings;
import android.content.Context;
import android.content.Intent;
import android.content.pm.PackageManager;
import android.nfc.NfcAdapter;
import android.os.Build;
import android.os.Handler;
import android.os.Looper;
import android.os.SystemClock;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.annotation.RealObject;
import org.robolectric.shadow.api.Shadow;
import org.robolectric.shadows.ShadowBluetoothAdapter;
import org.robolectric.shadows.ShadowBluetoothDevice;
import org.robolectric.shadows.ShadowBluetoothLeScanner;
import org.robolectric.shadows.ShadowNfcAdapter;
import org.robolectric.util.reflector.Direct;
import org.robolectric.util.reflector.ForType;

/** What is near the phone: a paired speaker, a watch, something without a name; no tag. */
public final class RadioShadows {
  private static final String SPEAKER = "00:11:22:33:44:55";
  private static final String WATCH = "00:11:22:33:44:66";
  private static final String NAMELESS = "00:11:22:33:44:77";
  private static final long FOUND_MILLIS = 300;
  private static final long FINISHED_MILLIS = 12_000;

  private static final int ANDROID_12 = 31;

  private RadioShadows() {}

  static Class<?>[] all() {
    return new Class<?>[] {
      OfBluetoothAdapter.class, OfBluetoothLeScanner.class, OfNfcAdapter.class
    };
  }

  private static void later(Runnable action, long millis) {
    new Handler(Looper.getMainLooper()).postDelayed(action, millis);
  }

  private static boolean has(String permission) {
    return RuntimeEnvironment.getApplication().checkSelfPermission(permission)
        == PackageManager.PERMISSION_GRANTED;
  }

  /** Throws what a phone throws if the app may not use Bluetooth in this way. */
  private static void require(String since12, String before) {
    Context app = RuntimeEnvironment.getApplication();
    boolean isNew =
        Build.VERSION.SDK_INT >= ANDROID_12
            && app.getApplicationInfo().targetSdkVersion >= ANDROID_12;
    String needed = "android.permission." + (isNew ? since12 : before);
    if (!has(needed)) {
      throw new SecurityException(
          isNew
              ? "Need " + needed + " permission for AttributionSource"
              : "Need " + before.replace('_', ' ') + " permission");
    }
  }

  /** Before Android 12, what is near says where the phone is, and so needs that permission. */
  private static boolean seesNear() {
    return Build.VERSION.SDK_INT >= ANDROID_12
        || has("android.permission.ACCESS_FINE_LOCATION")
        || has("android.permission.ACCESS_COARSE_LOCATION");
  }

  private static BluetoothDevice named(BluetoothDevice device, String name, int bond) {
    ShadowBluetoothDevice says = Shadow.extract(device);
    says.setName(name);
    says.setBondState(bond);
    return device;
  }

  /** Pairs, and finds what is near, once it has been turned on. */
  @Implements(value = BluetoothAdapter.class, isInAndroidSdk = false)
  public static class OfBluetoothAdapter extends ShadowBluetoothAdapter {
    @RealObject private BluetoothAdapter adapter;
    private boolean isSearching;

    /** There is none while Bluetooth is off. */
    @Implementation
    protected BluetoothLeScanner getBluetoothLeScanner() {
      return isEnabled() ? reflector(RealAdapter.class, adapter).getBluetoothLeScanner() : null;
    }

    @Override
    @Implementation
    protected Set<BluetoothDevice> getBondedDevices() {
      require("BLUETOOTH_CONNECT", "BLUETOOTH");
      Set<BluetoothDevice> paired = new LinkedHashSet<>();
      if (isEnabled() && Device.current().content().isFurnished()) {
        BluetoothDevice speaker = getRemoteDevice(SPEAKER);
        paired.add(named(speaker, "Kitchen speaker", BluetoothDevice.BOND_BONDED));
      }
      return paired;
    }

    @Override
    @Implementation
    protected boolean startDiscovery() {
      require("BLUETOOTH_SCAN", "BLUETOOTH_ADMIN");
      if (!isEnabled()) {
        return false;
      }
      isSearching = true;
      send(new Intent(BluetoothAdapter.ACTION_DISCOVERY_STARTED));
      if (seesNear() && Device.current().content().isFurnished()) {
        later(() -> find(WATCH, "Watch 7", -60), FOUND_MILLIS);
        later(() -> find(NAMELESS, null, -88), 2 * FOUND_MILLIS);
      }
      later(this::finish, FINISHED_MILLIS);
      return true;
    }

    private void find(String address, String name, int strength) {
      if (!isSearching) {
        return;
      }
      BluetoothDevice device = named(getRemoteDevice(address), name, BluetoothDevice.BOND_NONE);
      Intent found =
          new Intent(BluetoothDevice.ACTION_FOUND)
              .putExtra(BluetoothDevice.EXTRA_DEVICE, device)
              .putExtra(BluetoothDevice.EXTRA_RSSI, (short) strength)
              .putExtra(BluetoothDevice.EXTRA_CLASS, (BluetoothClass) null);
      send(name == null ? found : found.putExtra(BluetoothDevice.EXTRA_NAME, name));
    }

    private void finish() {
      if (isSearching) {
        isSearching = false;
        send(new Intent(BluetoothAdapter.ACTION_DISCOVERY_FINISHED));
      }
    }

    private static void send(Intent intent) {
      RuntimeEnvironment.getApplication().sendBroadcast(intent);
    }

    @Override
    @Implementation
    protected boolean cancelDiscovery() {
      require("BLUETOOTH_SCAN", "BLUETOOTH_ADMIN");
      finish();
      return true;
    }

    @Override
    @Implementation
    protected boolean isDiscovering() {
      return isSearching;
    }
  }

  /** The framework's own adapter. */
  @ForType(BluetoothAdapter.class)
  interface RealAdapter {
    @Direct
    BluetoothLeScanner getBluetoothLeScanner();
  }

  /** Hears a watch that says its name and something that says nothing. */
  @Implements(value = BluetoothLeScanner.class, isInAndroidSdk = false)
  public static class OfBluetoothLeScanner extends ShadowBluetoothLeScanner {
    @Override
    @Implementation
    protected void startScan(
        List<ScanFilter> filters, ScanSettings settings, ScanCallback callback) {
      require("BLUETOOTH_SCAN", "BLUETOOTH_ADMIN");
      super.startScan(filters, settings, callback);
      boolean isHeard = filters == null || filters.isEmpty();
      if (isHeard && seesNear() && Device.current().content().isFurnished()) {
        later(() -> hear(callback, WATCH, "Watch 7", -60), FOUND_MILLIS);
        later(() -> hear(callback, NAMELESS, null, -88), 2 * FOUND_MILLIS);
      }
    }

    private void hear(ScanCallback callback, String address, String name, int strength) {
      if (!getScanCallbacks().contains(callback)) {
        return;
      }
      BluetoothDevice device =
          named(
              BluetoothAdapter.getDefaultAdapter().getRemoteDevice(address),
              name,
              BluetoothDevice.BOND_NONE);
      ScanRecord record = ScanRecord.parseFromBytes(advertisement(name));
      long now = SystemClock.elapsedRealtimeNanos();
      callback.onScanResult(
          ScanSettings.CALLBACK_TYPE_ALL_MATCHES, new ScanResult(device, record, strength, now));
    }

    /** The bytes that a device sends of itself: flags, and its name if it has one. */
    private static byte[] advertisement(String name) {
      byte[] letters = name == null ? new byte[0] : name.getBytes(StandardCharsets.UTF_8);
      byte[] bytes = new byte[62];
      bytes[0] = 2;
      bytes[1] = 1;
      bytes[2] = 6;
      if (letters.length > 0) {
        bytes[3] = (byte) (letters.length + 1);
        bytes[4] = 9;
        System.arraycopy(letters, 0, bytes, 5, letters.length);
      }
      return bytes;
    }
  }

  /** Turned on, with no tag near it. */
  @Implements(value = NfcAdapter.class, isInAndroidSdk = false)
  public static class OfNfcAdapter extends ShadowNfcAdapter {
    @Override
    @Implementation
    protected boolean isEnabled() {
      return true;
    }
  }
}
