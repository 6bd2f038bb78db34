package dev.fewtaps.samples.lab;

import android.content.pm.PackageInfo;
import android.content.pm.PackageManager;
import android.database.Cursor;
import android.net.Uri;
import android.provider.CalendarContract;
import android.provider.ContactsContract;
import android.provider.MediaStore;
import android.provider.Settings;

/** Queries the content providers of other apps. */
public final class NeighboursActivity extends LabActivity {
  @Override
  protected void fill() {
    query("Contacts", ContactsContract.Contacts.CONTENT_URI);
    query("Images", MediaStore.Images.Media.EXTERNAL_CONTENT_URI);
    query("Audio", MediaStore.Audio.Media.EXTERNAL_CONTENT_URI);
    query("Calendars", CalendarContract.Calendars.CONTENT_URI);
    query("Downloads", Uri.parse("content://downloads/my_downloads"));
    button("System setting", () ->
        say("timeout " + Settings.System.getInt(getContentResolver(), Settings.System.SCREEN_OFF_TIMEOUT, -1)));
    button("Settings of a new phone", () -> {
      String missing = "";
      for (String name : new String[] {
        "screen_brightness", "screen_brightness_mode", "screen_off_timeout", "accelerometer_rotation", "user_rotation",
        "sound_effects_enabled", "haptic_feedback_enabled", "volume_music", "volume_ring", "volume_alarm"
      }) {
        missing += asks(() -> Settings.System.getInt(getContentResolver(), name), name);
      }
      for (String name : new String[] {"accessibility_enabled", "install_non_market_apps", "user_setup_complete"}) {
        missing += asks(() -> Settings.Secure.getInt(getContentResolver(), name), name);
      }
      for (String name : new String[] {
        "airplane_mode_on", "adb_enabled", "auto_time", "auto_time_zone", "wifi_on", "bluetooth_on", "mode_ringer",
        "stay_on_while_plugged_in", "device_provisioned"
      }) {
        missing += asks(() -> Settings.Global.getInt(getContentResolver(), name), name);
      }
      say("missing:" + missing);
    });
    button("Signers", () -> {
      try {
        PackageManager manager = getPackageManager();
        PackageInfo old = manager.getPackageInfo(getPackageName(), PackageManager.GET_SIGNATURES);
        PackageInfo info = manager.getPackageInfo(getPackageName(), PackageManager.GET_SIGNING_CERTIFICATES);
        say(old.signatures.length + " signers, the same: "
            + old.signatures[0].equals(info.signingInfo.getApkContentsSigners()[0]));
      } catch (PackageManager.NameNotFoundException error) {
        say("not installed");
      }
    });
    button("Android id", () ->
        say("id " + Settings.Secure.getString(getContentResolver(), Settings.Secure.ANDROID_ID)));
  }

  private interface Setting {
    int read() throws Settings.SettingNotFoundException;
  }

  private static String asks(Setting setting, String name) {
    try {
      setting.read();
      return "";
    } catch (Settings.SettingNotFoundException error) {
      return " " + name;
    }
  }

  private void query(String label, Uri uri) {
    button(label, () -> {
      try (Cursor cursor = getContentResolver().query(uri, null, null, null, null)) {
        say(label + ": " + (cursor == null ? "no cursor" : cursor.getCount() + " rows"));
      } catch (SecurityException error) {
        say(label + ": refused");
      }
    });
  }
}
