package dev.fewtaps.twin.world;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Says what a path of the app means on the host. */
final class HostPaths {
  /** Access that the app has there. */
  enum Access {
    /** Its own. */
    OWN,
    /** May be read. */
    READ,
    /** A folder that the app can see but not list. */
    FOLDER,
    /** Is not there on this phone. */
    ABSENT,
    /** Is not the app's business. */
    DENIED
  }

  /** Where a path leads, and the path as the app knows it. */
  record Place(Access access, String real, String visible) {}

  private static final List<String> SHARED =
      List.of(
          "/sdcard",
          "/mnt/sdcard",
          "/storage/emulated/0",
          "/storage/emulated/legacy",
          "/storage/self/primary",
          "/storage/sdcard0");
  private static final String USER_DATA = "/data/user/0/";

  /** Storage that can be used before the user has unlocked the phone. */
  private static final String DEVICE_DATA = "/data/user_de/0/";

  private static final List<String> OWN_DATA = List.of("/data/data/", USER_DATA, DEVICE_DATA);
  private static final List<String> FOLDERS =
      List.of(
          "/",
          "/data",
          "/data/data",
          "/data/app",
          "/storage",
          "/storage/emulated",
          "/mnt",
          "/system",
          "/dev",
          "/proc",
          "/sys");
  private static final List<String> ABSENT =
      List.of(
          "/system/",
          "/vendor/",
          "/proc/",
          "/sys/",
          "/dev/",
          "/sbin/",
          "/su/",
          "/cache/",
          "/product/",
          "/oem/",
          "/acct/",
          "/apex/",
          "/odm/",
          "/data/local/",
          "/init",
          "/default.prop",
          "/usr/share/zoneinfo");

  /** Small files that every phone has and apps look into. */
  private static final Map<String, String> TEXTS =
      Map.ofEntries(
          Map.entry("/proc/cpuinfo", cpus()),
          Map.entry(
              "/proc/meminfo",
              "MemTotal:        1884660 kB\n"
                  + "MemFree:          612340 kB\n"
                  + "Buffers:           38152 kB\n"
                  + "Cached:           702116 kB\n"
                  + "SwapTotal:             0 kB\n"
                  + "SwapFree:              0 kB\n"),
          Map.entry("/proc/version", "Linux version 4.4.0 (twin@fewtaps) #1 SMP PREEMPT\n"),
          Map.entry(
              "/proc/stat", "cpu  100 0 100 1000 0 0 0 0 0 0\ncpu0 100 0 100 1000 0 0 0 0 0 0\n"),
          Map.entry(
              "/proc/mounts",
              "rootfs / rootfs ro,relatime 0 0\n/dev/block/system /system ext4 ro,relatime 0 0\n"
                  + "/dev/block/data /data ext4 rw,nosuid,nodev,noatime 0 0\n"
                  + "/data/media /storage/emulated sdcardfs rw,nosuid,nodev,noexec,noatime 0 0\n"),
          Map.entry("/proc/filesystems", "nodev\tsysfs\nnodev\tproc\n\text4\n"),
          Map.entry("/proc/uptime", "100.00 100.00\n"),
          Map.entry("/proc/loadavg", "0.00 0.00 0.00 1/100 1000\n"),
          Map.entry("/sys/devices/system/cpu/possible", "0-3\n"),
          Map.entry("/sys/devices/system/cpu/present", "0-3\n"),
          Map.entry("/sys/devices/system/cpu/online", "0-3\n"),
          Map.entry("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_min_freq", "300000\n"),
          Map.entry("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "1800000\n"),
          Map.entry("/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "1200000\n"),
          Map.entry("/sys/devices/system/cpu/cpu1/online", "1\n"),
          Map.entry("/sys/devices/system/cpu/cpu2/online", "1\n"),
          Map.entry("/sys/devices/system/cpu/cpu3/online", "1\n"),
          Map.entry("/system/build.prop", "ro.build.type=user\nro.build.tags=release-keys\n"),
          Map.entry("/system/etc/hosts", "127.0.0.1 localhost\n"),
          Map.entry("/system/app/.keep", ""),
          Map.entry("/system/bin/.keep", ""),
          Map.entry("/system/fonts/.keep", ""),
          Map.entry("/system/framework/.keep", ""),
          Map.entry("/system/lib/.keep", ""),
          Map.entry("/system/priv-app/.keep", ""));

  /**
   * Where the framework puts what the settings do not place: without folders nothing else is open.
   */
  private static final String FRAMEWORK = System.getProperty("java.io.tmpdir") + "/robolectric-";

  private static Path texts;

  private final Settings settings;
  private final World world;
  private final String deviceDir;
  private final Map<String, Place> fakes = new HashMap<>();
  private String card;

  HostPaths(World world) {
    this.settings = world.settings;
    this.world = world;
    String own = settings.dataDir();
    this.deviceDir = own == null ? null : own.replace(USER_DATA, DEVICE_DATA);
  }

  private static String cpus() {
    StringBuilder text = new StringBuilder("Processor\t: ARMv7 Processor rev 4 (v7l)\n");
    for (int i = 0; i < 4; i++) {
      text.append("processor\t: ").append(i).append("\nBogoMIPS\t: 38.40\n\n");
    }
    return text.append(
            "Features\t: half thumb fastmult vfp edsp neon vfpv3 tls vfpv4\n"
                + "CPU implementer\t: 0x41\nCPU architecture: 7\n\nHardware\t: twin\n")
        .toString();
  }

  /**
   * Makes a path absolute and removes dots; the working folder of an Android process is the root.
   */
  static String normal(String path) {
    String absolute = path.startsWith("/") ? path : "/" + path;
    if (!absolute.contains("//") && !absolute.contains("/.") && !absolute.endsWith("/")) {
      return absolute;
    }
    Deque<String> parts = new ArrayDeque<>();
    for (String part : absolute.split("/")) {
      if (part.equals("..")) {
        parts.pollLast();
      } else if (!part.isEmpty() && !part.equals(".")) {
        parts.addLast(part);
      }
    }
    return "/" + String.join("/", parts);
  }

  private static boolean within(String path, String folder) {
    return folder != null
        && path.startsWith(folder)
        && (path.length() == folder.length()
            || folder.endsWith("/")
            || path.charAt(folder.length()) == '/');
  }

  /** Finds out where a path of the app leads. */
  Place place(String given) {
    String path = normal(given);
    if (within(path, settings.dataDir())
        || within(path, deviceDir)
        || within(path, settings.sharedDir())
        || within(path, settings.cacheDir())
        || path.startsWith(FRAMEWORK)) {
      return new Place(Access.OWN, path, given);
    }
    for (String root : SHARED) {
      if (within(path, root)) {
        return shared(given, path.substring(root.length()));
      }
    }
    for (String folder : settings.readable()) {
      if (within(path, folder)) {
        return new Place(Access.READ, path, given);
      }
    }
    for (String root : OWN_DATA) {
      if (path.startsWith(root)) {
        String base = root.equals(DEVICE_DATA) ? deviceDir : settings.dataDir();
        return ownData(given, path.substring(root.length()), base);
      }
    }
    if (path.equals("/dev/null")) {
      return new Place(Access.OWN, path, given);
    }
    Place fake = fake(path, given);
    if (fake != null) {
      return fake;
    }
    if (FOLDERS.contains(path)) {
      return new Place(Access.FOLDER, path, given);
    }
    for (String root : ABSENT) {
      if (path.startsWith(root)) {
        return new Place(Access.ABSENT, path, given);
      }
    }
    return new Place(Access.DENIED, path, given);
  }

  private Place shared(String given, String below) {
    String folder = settings.sharedDir();
    if (folder == null) {
      synchronized (fakes) {
        folder = card == null ? card = temporaryCard() : card;
      }
    }
    return folder.isEmpty()
        ? new Place(Access.ABSENT, given, given)
        : new Place(Access.OWN, folder + below, given);
  }

  private static String temporaryCard() {
    try {
      return Files.createTempDirectory("robolectric-card").toString();
    } catch (IOException e) {
      return "";
    }
  }

  private Place ownData(String given, String rest, String base) {
    int slash = rest.indexOf('/');
    String owner = slash < 0 ? rest : rest.substring(0, slash);
    String below = slash < 0 ? "" : rest.substring(slash);
    boolean own = settings.appPackage() == null || owner.equals(settings.appPackage());
    return own && base != null
        ? new Place(Access.OWN, base + below, given)
        : new Place(Access.DENIED, normal(given), given);
  }

  private Place fake(String path, String given) {
    boolean chance = path.equals("/dev/urandom") || path.equals("/dev/random");
    if (!chance && !isPartOfPhone(path)) {
      return null;
    }
    synchronized (fakes) {
      Place known = fakes.get(path);
      if (known == null) {
        known = make(path, given, chance);
        fakes.put(path, known);
      }
      return known;
    }
  }

  /**
   * Whether a path is one of the small files, or a folder on the way to one, but for what stays
   * closed.
   */
  private static boolean isPartOfPhone(String path) {
    if (FOLDERS.contains(path) && !path.equals("/system")) {
      return false;
    }
    for (String text : TEXTS.keySet()) {
      if (within(text, path)) {
        return true;
      }
    }
    return false;
  }

  private Place make(String path, String given, boolean chance) {
    try {
      Path file = phone().resolve(path.substring(1));
      if (chance) {
        byte[] bytes = new byte[65536];
        new Random(world.draw(Draw.RANDOM, -1)).nextBytes(bytes);
        Files.createDirectories(file.getParent());
        Files.write(file, bytes);
      }
      return new Place(chance ? Access.OWN : Access.READ, file.toString(), given);
    } catch (IOException e) {
      return new Place(Access.ABSENT, path, given);
    }
  }

  /** The folder with the small files of a phone, made when first asked for. */
  private static synchronized Path phone() throws IOException {
    if (texts == null) {
      Path root = Files.createTempDirectory("twin");
      for (Map.Entry<String, String> text : TEXTS.entrySet()) {
        Path file = root.resolve(text.getKey().substring(1));
        Files.createDirectories(file.getParent());
        if (!file.endsWith(".keep")) {
          Files.write(file, text.getValue().getBytes());
        }
      }
      texts = root;
    }
    return texts;
  }

  /** Says which kind of a thing is there, for File: null is nothing that the app can see. */
  static File visible(Place place) {
    return place.access == Access.OWN || place.access == Access.READ ? new File(place.real) : null;
  }
}
