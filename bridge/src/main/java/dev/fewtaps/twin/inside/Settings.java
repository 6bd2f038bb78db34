package dev.fewtaps.twin.inside;

import android.content.ComponentName;
import android.content.Intent;
import android.content.pm.PackageParser;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import dev.fewtaps.twin.world.Served;
import dev.fewtaps.twin.world.World;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The fields of the request to open an app: files, and the phone that it runs on.
 *
 * <p>A launch can name settings of the phone that differ for this run.
 */
final class Settings {
  /** The time of day at which phones start. */
  private static final LocalTime START = LocalTime.of(9, 0);

  private final JsonObject request;
  private final JsonObject phone;
  final Path apk;
  final Path cache;

  /** What another process has translated of the app's classes, or null. */
  final Path translated;

  final Path data;

  /** The names of the app's classes in its sources; null if they are those of the APK. */
  final Path names;

  final int width;
  final int height;
  final int dpi;
  final int statusBarDp;
  final int navigationBarDp;
  final String android;
  final String locale;
  final String timeZone;
  final float fontScale;
  final boolean isDark;

  /** Whether the app has half of the screen. */
  final boolean isSplitScreen;

  /** Whether the storage is full as soon as the app has been launched. */
  final boolean isStorageFull;

  /** Whether a screen reader reads what is on the screen. */
  final boolean isRead;

  /** The wall clock's time when the phone starts. */
  final long epochMillis;

  /** Whether activities live on when they are stopped; on some phones a setting destroys them. */
  final boolean keepsActivities;

  final String model;
  final String manufacturer;
  final List<String> abis;
  final String permissions;
  final boolean neighboursPresent;

  /** The kinds of neighbour apps that this phone lacks; see {@link NeighbourKinds}. */
  final Set<String> absentNeighbours;

  /** Whether there are people, appointments, files and the like on the phone. */
  final boolean isFurnished;

  final String network;

  /** What servers answer if the network is {@code served}. */
  final List<Served> served;

  final String coverage;
  final boolean stepCoverage;
  final long thinkMillis;
  final long launchMillis;
  final List<Path> fallbackJars;
  private PackageParser.Package manifest;
  private List<Path> splits = List.of();

  Settings(JsonObject request) {
    this(request, new JsonObject());
  }

  private Settings(JsonObject request, JsonObject phone) {
    this.request = request;
    this.phone = phone;
    apk = Paths.get(request.get("apk").getAsString());
    cache = Paths.get(request.get("cache").getAsString());
    translated =
        request.has("translated") ? Paths.get(request.get("translated").getAsString()) : null;
    data = Paths.get(text(request, "data", System.getProperty("java.io.tmpdir")));
    names = request.has("names") ? Paths.get(request.get("names").getAsString()) : null;
    JsonObject profile =
        request.has("profile") ? request.getAsJsonObject("profile") : new JsonObject();
    isSplitScreen = text(phone, "split_screen", "").equals("yes");
    int[] display = display(text(phone, "display", ""));
    width = display == null ? number(profile, "width", 720) : display[0];
    int whole = display == null ? number(profile, "height", 1280) : display[1];
    height = isSplitScreen ? whole / 2 : whole;
    dpi = display == null ? number(profile, "dpi", 320) : display[2];
    statusBarDp = number(profile, "status_bar_dp", 25);
    navigationBarDp = number(profile, "navigation_bar_dp", 0);
    android = text(profile, "android", "");
    locale = text(phone, "locale", text(profile, "locale", "en-US"));
    timeZone = text(phone, "time_zone", "UTC");
    fontScale = Float.parseFloat(text(phone, "font_scale", "1"));
    isDark = text(phone, "theme", "").equals("dark");
    isStorageFull = text(phone, "storage", "").equals("full");
    isRead = text(phone, "accessibility", "").equals("on");
    String date = text(phone, "date", "");
    epochMillis =
        date.isEmpty()
            ? World.EPOCH_MILLIS
            : LocalDate.parse(date).atTime(START).toInstant(ZoneOffset.UTC).toEpochMilli();
    keepsActivities = !text(phone, "keep_activities", "").equals("no");
    model = text(profile, "model", "Fewtaps Twin");
    manufacturer = text(profile, "manufacturer", "Fewtaps");
    abis = texts(profile, "abis");
    permissions = text(phone, "permissions", text(request, "permissions", "granted"));
    neighboursPresent = !text(request, "neighbours", "present").equals("absent");
    absentNeighbours = new TreeSet<>();
    for (String kind : NeighbourKinds.ALL) {
      if (text(phone, kind, "").equals("absent")) {
        absentNeighbours.add(kind);
      }
    }
    isFurnished = !text(phone, "content", text(request, "content", "furnished")).equals("empty");
    network = text(phone, "network", text(request, "network", "offline"));
    served = served(request);
    coverage = text(request, "coverage", "app");
    stepCoverage = truth(request, "step_coverage");
    thinkMillis = number(request, "think_ms", 500);
    launchMillis = number(request, "launch_ms", 3000);
    fallbackJars = new ArrayList<>();
    for (String jar :
        System.getProperty("fewtaps.fallback", "").split(java.io.File.pathSeparator)) {
      if (!jar.isEmpty()) {
        fallbackJars.add(Paths.get(jar));
      }
    }
  }

  /** Returns width, height and density of a display by its name or as 720x1280@320, or null. */
  private static int[] display(String name) {
    switch (name) {
      case "":
        return null;
      case "small":
        return new int[] {480, 800, 240};
      case "tablet":
        return new int[] {1200, 1920, 240};
      default:
        return Stream.of(name.split("[x@]")).mapToInt(Integer::parseInt).toArray();
    }
  }

  private static List<Served> served(JsonObject request) {
    List<Served> answers = new ArrayList<>();
    if (request.has("served")) {
      for (JsonElement element : request.getAsJsonArray("served")) {
        JsonObject one = element.getAsJsonObject();
        List<String> headers = new ArrayList<>();
        one.getAsJsonArray("headers").forEach(each -> headers.add(each.getAsString()));
        answers.add(
            new Served(
                one.get("method").getAsString(),
                Pattern.compile(one.get("address").getAsString()),
                one.get("status").getAsInt(),
                one.get("type").getAsString(),
                headers.toArray(new String[0]),
                Base64.getDecoder().decode(one.get("body").getAsString())));
      }
    }
    return answers;
  }

  /** The splits whose resources belong to the app. */
  List<Path> splits() {
    return splits;
  }

  void setSplits(List<Path> paths) {
    splits = paths;
  }

  /** The settings of the same phone but for these differences. */
  Settings differing(JsonObject phone) {
    Settings other = new Settings(request, phone);
    other.setManifest(manifest);
    other.setSplits(splits);
    return other;
  }

  /** The same settings but for one of the phone. */
  Settings with(String name, String value) {
    JsonObject changed = phone.deepCopy();
    changed.addProperty(name, value);
    return differing(changed);
  }

  /** Robolectric's qualifiers for this screen: locale, size in dp, orientation, theme, density. */
  String qualifiers() {
    int widthDp = Math.round(width * 160f / dpi);
    int heightDp = Math.round(height * 160f / dpi);
    String[] parts = locale.split("[-_]");
    String language = parts.length > 1 ? parts[0] + "-r" + parts[1] : parts[0];
    String shape = (width <= height ? "port" : "land") + (isDark ? "-night" : "");
    return String.format(
        "%s-w%ddp-h%ddp-%s-%s", language, widthDp, heightDp, shape, densityName(dpi));
  }

  private static String densityName(int dpi) {
    switch (dpi) {
      case 120:
        return "ldpi";
      case 160:
        return "mdpi";
      case 213:
        return "tvdpi";
      case 240:
        return "hdpi";
      case 320:
        return "xhdpi";
      case 480:
        return "xxhdpi";
      case 640:
        return "xxxhdpi";
      default:
        return dpi + "dpi";
    }
  }

  PackageParser.Package manifest() {
    return manifest;
  }

  void setManifest(PackageParser.Package manifest) {
    this.manifest = manifest;
  }

  /** The activity behind the app's icon, or null if it has none. */
  ComponentName launcher() {
    for (PackageParser.Activity activity : manifest.activities) {
      for (PackageParser.ActivityIntentInfo filter : activity.intents) {
        boolean launches =
            filter.hasCategory(Intent.CATEGORY_LAUNCHER)
                || filter.hasCategory(Intent.CATEGORY_LEANBACK_LAUNCHER);
        if (filter.hasAction(Intent.ACTION_MAIN) && launches && activity.info.enabled) {
          return new ComponentName(manifest.packageName, activity.info.name);
        }
      }
    }
    return null;
  }

  private static boolean truth(JsonObject object, String name) {
    return object.has(name) && !object.get(name).isJsonNull() && object.get(name).getAsBoolean();
  }

  private static int number(JsonObject object, String name, int otherwise) {
    return object.has(name) && !object.get(name).isJsonNull()
        ? object.get(name).getAsInt()
        : otherwise;
  }

  private static String text(JsonObject object, String name, String otherwise) {
    return object.has(name) && !object.get(name).isJsonNull()
        ? object.get(name).getAsString()
        : otherwise;
  }

  private static List<String> texts(JsonObject object, String name) {
    List<String> values = new ArrayList<>();
    if (object.has(name)) {
      JsonArray array = object.getAsJsonArray(name);
      array.forEach(element -> values.add(element.getAsString()));
    }
    if (values.isEmpty()) {
      values.add("arm64-v8a");
      values.add("armeabi-v7a");
    }
    return values;
  }
}
