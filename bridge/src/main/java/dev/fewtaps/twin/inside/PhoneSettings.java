package dev.fewtaps.twin.inside;

import android.content.ContentResolver;
import android.provider.Settings.Global;
import android.provider.Settings.Secure;
import android.provider.Settings.System;
import java.util.Map;

/**
 * The rows of the settings provider that are there on a phone that was just set up.
 *
 * <p>Apps read them without a default, and get a {@code SettingNotFoundException} or a null that no
 * phone would give them. What a new phone does not have either is left out: the time format, the
 * services of accessibility that are on.
 */
final class PhoneSettings {
  private static final Map<String, String> SYSTEM =
      Map.ofEntries(
          Map.entry(System.SCREEN_BRIGHTNESS, "102"),
          Map.entry(System.SCREEN_BRIGHTNESS_MODE, "0"),
          Map.entry(System.SCREEN_OFF_TIMEOUT, "60000"),
          Map.entry(System.ACCELEROMETER_ROTATION, "1"),
          Map.entry(System.USER_ROTATION, "0"),
          Map.entry(System.DTMF_TONE_WHEN_DIALING, "1"),
          Map.entry(System.SOUND_EFFECTS_ENABLED, "1"),
          Map.entry(System.HAPTIC_FEEDBACK_ENABLED, "1"),
          Map.entry(System.VIBRATE_WHEN_RINGING, "0"),
          Map.entry("notification_light_pulse", "1"),
          Map.entry("pointer_speed", "0"),
          Map.entry(System.MODE_RINGER_STREAMS_AFFECTED, "166"),
          Map.entry(System.MUTE_STREAMS_AFFECTED, "46"),
          Map.entry(System.VOLUME_VOICE, "4"),
          Map.entry(System.VOLUME_SYSTEM, "7"),
          Map.entry(System.VOLUME_RING, "5"),
          Map.entry(System.VOLUME_MUSIC, "5"),
          Map.entry(System.VOLUME_ALARM, "6"),
          Map.entry(System.VOLUME_NOTIFICATION, "5"));

  private static final Map<String, String> SECURE =
      Map.of(
          Secure.INSTALL_NON_MARKET_APPS,
          "0",
          Secure.LOCATION_PROVIDERS_ALLOWED,
          "gps,network",
          Secure.ACCESSIBILITY_ENABLED,
          "0",
          Secure.TOUCH_EXPLORATION_ENABLED,
          "0",
          "long_press_timeout",
          "500",
          "lock_screen_show_notifications",
          "1",
          "lock_screen_allow_private_notifications",
          "1",
          "user_setup_complete",
          "1");

  private static final Map<String, String> GLOBAL =
      Map.ofEntries(
          Map.entry(Global.DEVICE_PROVISIONED, "1"),
          Map.entry(Global.AIRPLANE_MODE_ON, "0"),
          Map.entry(Global.AIRPLANE_MODE_RADIOS, "cell,bluetooth,wifi,nfc,wimax"),
          Map.entry(Global.ADB_ENABLED, "0"),
          Map.entry(Global.AUTO_TIME, "1"),
          Map.entry(Global.AUTO_TIME_ZONE, "1"),
          Map.entry(Global.BLUETOOTH_ON, "0"),
          Map.entry(Global.DATA_ROAMING, "0"),
          Map.entry(Global.MODE_RINGER, "2"),
          Map.entry(Global.STAY_ON_WHILE_PLUGGED_IN, "0"),
          Map.entry(Global.WIFI_SLEEP_POLICY, "2"),
          Map.entry("mobile_data", "1"),
          Map.entry("heads_up_notifications_enabled", "1"));

  private PhoneSettings() {}

  /** Fills the three tables of a new phone. */
  static void install(Settings settings, ContentResolver resolver) {
    SYSTEM.forEach((name, value) -> System.putString(resolver, name, value));
    SECURE.forEach((name, value) -> Secure.putString(resolver, name, value));
    GLOBAL.forEach((name, value) -> Global.putString(resolver, name, value));
    String keyboard = "com.android.inputmethod.latin/.LatinIME";
    Secure.putString(resolver, Secure.ANDROID_ID, "fe31a75000000001");
    Secure.putString(resolver, Secure.DEFAULT_INPUT_METHOD, keyboard);
    Secure.putString(resolver, Secure.ENABLED_INPUT_METHODS, keyboard);
    Global.putString(resolver, Global.DEVICE_NAME, settings.model);
    Global.putString(resolver, Global.WIFI_ON, settings.network.equals("offline") ? "0" : "1");
  }
}
