package dev.fewtaps.samples.lab;

import android.app.Activity;
import android.content.BroadcastReceiver;
import android.content.Context;
import android.content.Intent;
import android.content.IntentFilter;
import android.os.BatteryManager;

/** Broadcasts of every kind: dynamic, manifest, ordered, aborted, sticky, system. */
public final class BroadcastsActivity extends LabActivity {
  private static final String PING = "dev.fewtaps.samples.lab.PING";
  private static final String STICKY = "dev.fewtaps.samples.lab.STICKY";

  private final BroadcastReceiver first = receiver("first");
  private final BroadcastReceiver second = receiver("second");
  private final BroadcastReceiver system =
      new BroadcastReceiver() {
        @Override
        public void onReceive(Context context, Intent intent) {
          say("system " + intent.getAction().replace("android.intent.action.", ""));
        }
      };
  private boolean abort;

  private BroadcastReceiver receiver(String name) {
    return new BroadcastReceiver() {
      @Override
      public void onReceive(Context context, Intent intent) {
        say(name + " received " + intent.getIntExtra("number", -1));
        if (isOrderedBroadcast()) {
          setResultData(getResultData() + " " + name);
          if (abort) {
            abortBroadcast();
          }
        }
      }
    };
  }

  @Override
  protected void fill() {
    IntentFilter high = new IntentFilter(PING);
    high.setPriority(10);
    registerReceiver(second, new IntentFilter(PING));
    registerReceiver(first, high);
    IntentFilter filter = new IntentFilter(Intent.ACTION_AIRPLANE_MODE_CHANGED);
    filter.addAction(Intent.ACTION_BATTERY_LOW);
    filter.addAction(Intent.ACTION_TIME_TICK);
    filter.addAction(Intent.ACTION_SCREEN_OFF);
    filter.addAction(Intent.ACTION_LOCALE_CHANGED);
    registerReceiver(system, filter);
    button("Send", () -> sendBroadcast(new Intent(PING).putExtra("number", 1)));
    button("To manifest", () -> {
      sendBroadcast(new Intent(this, ManifestReceiver.class));
      findViewById(R.id.log).postDelayed(() -> say("manifest received " + ManifestReceiver.received), 200);
    });
    button("Ordered", () -> ordered(false));
    button("Aborted", () -> ordered(true));
    button("Sticky", this::sticky);
    button("Battery", this::battery);
    button("Unregister", () -> {
      unregisterReceiver(first);
      unregisterReceiver(second);
    });
  }

  private void ordered(boolean abort) {
    this.abort = abort;
    BroadcastReceiver last =
        new BroadcastReceiver() {
          @Override
          public void onReceive(Context context, Intent intent) {
            say("result " + getResultCode() + ":" + getResultData());
          }
        };
    sendOrderedBroadcast(
        new Intent(PING).setPackage(getPackageName()).putExtra("number", 2), null, last, null, Activity.RESULT_OK, "", null);
  }

  private void sticky() {
    say("before " + (registerReceiver(null, new IntentFilter(STICKY)) != null));
    sendStickyBroadcast(new Intent(STICKY).putExtra("number", 3));
    Intent kept = registerReceiver(null, new IntentFilter(STICKY));
    say("after " + (kept == null ? "nothing" : kept.getIntExtra("number", -1)));
  }

  private void battery() {
    Intent battery = registerReceiver(null, new IntentFilter(Intent.ACTION_BATTERY_CHANGED));
    say("battery " + (battery == null ? "unknown" : battery.getIntExtra(BatteryManager.EXTRA_LEVEL, -1)));
  }
}
