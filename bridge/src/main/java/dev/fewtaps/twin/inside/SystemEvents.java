package dev.fewtaps.twin.inside;

import android.app.Activity;
import android.app.Application;
import android.content.ComponentCallbacks2;
import android.content.Intent;
import android.content.pm.PackageManager;
import android.content.res.Configuration;
import android.net.Uri;
import android.os.LocaleList;
import android.provider.Settings.Global;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import dev.fewtaps.twin.world.World;
import java.util.IllformedLocaleException;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TimeZone;
import org.robolectric.RuntimeEnvironment;

/** Events of a phone that are not touches of the app. */
final class SystemEvents {
  private static final Map<String, String> BROADCASTS =
      Map.ofEntries(
          Map.entry("airplane_mode", Intent.ACTION_AIRPLANE_MODE_CHANGED),
          Map.entry("battery_low", Intent.ACTION_BATTERY_LOW),
          Map.entry("battery_okay", Intent.ACTION_BATTERY_OKAY),
          Map.entry("boot_completed", Intent.ACTION_BOOT_COMPLETED),
          Map.entry("connectivity", "android.net.conn.CONNECTIVITY_CHANGE"),
          Map.entry("date_changed", Intent.ACTION_DATE_CHANGED),
          Map.entry("headset", Intent.ACTION_HEADSET_PLUG),
          Map.entry("media_mounted", Intent.ACTION_MEDIA_MOUNTED),
          Map.entry("power_connected", Intent.ACTION_POWER_CONNECTED),
          Map.entry("power_disconnected", Intent.ACTION_POWER_DISCONNECTED),
          Map.entry("screen_off", Intent.ACTION_SCREEN_OFF),
          Map.entry("screen_on", Intent.ACTION_SCREEN_ON),
          Map.entry("time_changed", Intent.ACTION_TIME_CHANGED),
          Map.entry("timezone_changed", Intent.ACTION_TIMEZONE_CHANGED),
          Map.entry("user_present", Intent.ACTION_USER_PRESENT));

  private SystemEvents() {}

  /** Whether the event ends the app's process, which is not the work of that process. */
  static boolean isProcessDeath(JsonObject event) {
    return event.get("kind").getAsString().equals("system")
        && event.get("name").getAsString().equals("process_death");
  }

  /** Whether the event takes back a permission that the app holds, which ends its process. */
  static boolean revokes(JsonObject event) {
    if (!event.get("kind").getAsString().equals("system")
        || !event.get("name").getAsString().equals("permission")) {
      return false;
    }
    Map<String, String> arguments = argumentsOf(event);
    String name = arguments.get("name");
    Application application = RuntimeEnvironment.getApplication();
    return name != null
        && arguments.getOrDefault("to", "denied").equals("denied")
        && application.checkSelfPermission(name) == PackageManager.PERMISSION_GRANTED;
  }

  static void perform(Device device, JsonObject event) {
    String name = event.get("name").getAsString();
    Map<String, String> arguments = argumentsOf(event);
    Application application = RuntimeEnvironment.getApplication();
    if (name.equals("airplane_mode")) {
      arguments.putIfAbsent("state", "true");
      boolean on = Boolean.parseBoolean(arguments.get("state"));
      Global.putInt(application.getContentResolver(), Global.AIRPLANE_MODE_ON, on ? 1 : 0);
    }
    if (name.equals("media_mounted")) {
      // Always comes with the place; apps rely on it.
      arguments.putIfAbsent("data", "file:///storage/emulated/0");
    }
    if (name.equals("time_changed")) {
      World.current().shiftClock(1000 * seconds(arguments.remove("by_seconds")));
    }
    if (name.equals("timezone_changed") && arguments.containsKey("time-zone")) {
      changeTimeZone(device, arguments.get("time-zone"));
    }
    if (BROADCASTS.containsKey(name)) {
      broadcast(application, BROADCASTS.get(name), arguments);
      return;
    }
    switch (name) {
      case "broadcast":
        String action = required(arguments, "action", name);
        arguments.remove("action");
        broadcast(application, action, arguments);
        return;
      case "low_memory":
        application.onLowMemory();
        application.onTrimMemory(ComponentCallbacks2.TRIM_MEMORY_RUNNING_CRITICAL);
        Activity top = device.activities().top();
        if (top != null) {
          top.onLowMemory();
          top.onTrimMemory(ComponentCallbacks2.TRIM_MEMORY_RUNNING_CRITICAL);
        }
        return;
      case "locale":
        changeLocale(device, arguments.getOrDefault("to", "de-DE"));
        return;
      case "permission":
        Permissions.change(
            application, required(arguments, "name", name), arguments.getOrDefault("to", "denied"));
        return;
      case "process_death":
        throw new IllegalArgumentException("a process cannot die among repeated events");
      default:
        throw new IllegalArgumentException("unknown system event '" + name + "'");
    }
  }

  /** A number of seconds, up to a century of them; none if nothing is said. */
  private static long seconds(String text) {
    if (text == null) {
      return 0;
    }
    if (!text.matches("-?[0-9]{1,10}")) {
      throw new IllegalArgumentException("by_seconds of 'time_changed' is no number of seconds");
    }
    return Long.parseLong(text);
  }

  private static void changeTimeZone(Device device, String id) {
    TimeZone zone = TimeZone.getTimeZone(id);
    device.set("time_zone", zone.getID());
    TimeZone.setDefault(zone);
  }

  private static String required(Map<String, String> arguments, String key, String name) {
    String value = arguments.get(key);
    if (value == null || value.isEmpty()) {
      throw new IllegalArgumentException("system event '" + name + "' needs " + key);
    }
    return value;
  }

  /**
   * Sends a broadcast whose extras have the types that their texts look like; "data" is its URI.
   */
  private static void broadcast(
      Application application, String action, Map<String, String> extras) {
    Intent intent = new Intent(action);
    String data = extras.remove("data");
    if (data != null) {
      intent.setData(Uri.parse(data));
    }
    extras.forEach(
        (key, value) -> {
          if (value.equals("true") || value.equals("false")) {
            intent.putExtra(key, Boolean.parseBoolean(value));
          } else if (value.matches("-?[0-9]{1,9}")) {
            intent.putExtra(key, Integer.parseInt(value));
          } else {
            intent.putExtra(key, value);
          }
        });
    application.sendBroadcast(intent);
  }

  private static Locale localeOf(String tag) {
    try {
      Locale locale = new Locale.Builder().setLanguageTag(tag.replace('_', '-')).build();
      if (!locale.getLanguage().isEmpty()) {
        return locale;
      }
    } catch (IllformedLocaleException e) {
      // Refused below, with what is empty.
    }
    throw new IllegalArgumentException("not a locale: '" + tag + "'");
  }

  private static void changeLocale(Device device, String tag) {
    Locale locale = localeOf(tag);
    device.set("locale", locale.toLanguageTag());
    String country = locale.getCountry().isEmpty() ? "" : "-r" + locale.getCountry();
    RuntimeEnvironment.setQualifiers(
        locale.getScript().isEmpty()
            ? "+" + locale.getLanguage() + country
            : "+b+" + locale.toLanguageTag().replace('-', '+'));
    Locale.setDefault(locale);
    LocaleList.setDefault(new LocaleList(locale));
    Application application = RuntimeEnvironment.getApplication();
    Configuration configuration = application.getResources().getConfiguration();
    application.onConfigurationChanged(configuration);
    application.sendBroadcast(new Intent(Intent.ACTION_LOCALE_CHANGED));
    Orientation.fitScreen(device);
    device.activities().configurationChanged();
  }

  private static Map<String, String> argumentsOf(JsonObject event) {
    Map<String, String> arguments = new LinkedHashMap<>();
    if (!event.has("arguments") || event.get("arguments").isJsonNull()) {
      return arguments;
    }
    JsonElement given = event.get("arguments");
    if (given.isJsonObject()) {
      given
          .getAsJsonObject()
          .entrySet()
          .forEach(entry -> arguments.put(entry.getKey(), entry.getValue().getAsString()));
    } else {
      for (JsonElement pair : given.getAsJsonArray()) {
        arguments.put(
            pair.getAsJsonArray().get(0).getAsString(), pair.getAsJsonArray().get(1).getAsString());
      }
    }
    return arguments;
  }
}
