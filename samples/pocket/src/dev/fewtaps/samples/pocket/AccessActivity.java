package dev.fewtaps.samples.pocket;

import android.app.Activity;
import android.app.AppOpsManager;
import android.app.NotificationManager;
import android.content.Intent;
import android.media.MediaPlayer;
import android.net.Uri;
import android.net.VpnService;
import android.os.PowerManager;
import android.os.Process;
import android.provider.Settings;
import android.util.Log;

/** Says what the user allows beyond permissions; an intent to it names a screen of the settings. */
public final class AccessActivity extends Activity {
  @Override
  protected void onNewIntent(Intent intent) {
    if ("sound".equals(intent.getStringExtra("screen"))) {
      MediaPlayer player = MediaPlayer.create(this, R.raw.tone);
      player.start();
      Log.i("lab", "sound " + player.isPlaying());
      return;
    }
    if ("vpn".equals(intent.getStringExtra("screen"))) {
      Intent question = VpnService.prepare(this);
      if (question != null) {
        startActivity(question);
      } else {
        startService(new Intent(this, TunnelService.class));
      }
      return;
    }
    startActivity(new Intent(intent.getStringExtra("screen"), Uri.parse("package:" + getPackageName())));
  }

  @Override
  protected void onResume() {
    super.onResume();
    AppOpsManager operations = getSystemService(AppOpsManager.class);
    String usage = AppOpsManager.OPSTR_GET_USAGE_STATS;
    int mode = operations.checkOpNoThrow(usage, Process.myUid(), getPackageName());
    String listeners =
        Settings.Secure.getString(getContentResolver(), "enabled_notification_listeners");
    NotificationManager notifications = getSystemService(NotificationManager.class);
    PowerManager power = getSystemService(PowerManager.class);
    StringBuilder held = new StringBuilder("access");
    say(held, "overlay", Settings.canDrawOverlays(this));
    say(held, "settings", Settings.System.canWrite(this));
    say(held, "usage", mode == AppOpsManager.MODE_ALLOWED);
    say(held, "listener", listeners != null && listeners.contains("HearingService"));
    say(held, "policy", notifications.isNotificationPolicyAccessGranted());
    say(held, "battery", power.isIgnoringBatteryOptimizations(getPackageName()));
    say(held, "sources", getPackageManager().canRequestPackageInstalls());
    say(held, "vpn", VpnService.prepare(this) == null);
    Log.i("lab", held.toString());
  }

  private static void say(StringBuilder held, String name, boolean isHeld) {
    held.append(isHeld ? " " + name : "");
  }
}
