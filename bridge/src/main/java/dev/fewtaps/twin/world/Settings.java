package dev.fewtaps.twin.world;

/**
 * The settings of a run apart from its world number.
 *
 * @param network "offline", "faked" for small made-up HTTP answers, "served" for those of the user,
 *     or "online", "slow" or "failing" for either kind, well or badly
 * @param appPackage the app's package, or null when any /data/data folder counts as its own
 * @param dataDir the app's own folder on the host; without one only the framework's own temporary
 *     folders are open
 * @param sharedDir the folder on the host that stands for /sdcard; without one, a temporary one
 * @param cacheDir the app's folder for temporary files
 * @param readable more folders on the host that may be read, such as the one of the APK
 * @param locale a language tag
 * @param timeZone a time zone id
 * @param epochMillis the wall clock's time when the phone starts, in a world without another date
 * @param bootMillis the uptime at which the run begins
 * @param anrMillis how long, in virtual time, the main thread may stand still within one event
 */
public record Settings(
    String network,
    String appPackage,
    String dataDir,
    String sharedDir,
    String cacheDir,
    java.util.List<String> readable,
    String locale,
    String timeZone,
    long epochMillis,
    long bootMillis,
    long anrMillis) {

  /** Returns an offline phone in English, without folders. */
  public static Settings defaults() {
    return new Settings(
        "offline",
        null,
        null,
        null,
        null,
        java.util.List.of(),
        "en-US",
        "UTC",
        World.EPOCH_MILLIS,
        100,
        10_000);
  }

  /** Returns these settings with another network. */
  public Settings withNetwork(String to) {
    return new Settings(
        to,
        appPackage,
        dataDir,
        sharedDir,
        cacheDir,
        readable,
        locale,
        timeZone,
        epochMillis,
        bootMillis,
        anrMillis);
  }

  /** Returns these settings with the host folders of the run. */
  public Settings withFolders(String data, String shared, String cache) {
    return new Settings(
        network,
        appPackage,
        data,
        shared,
        cache,
        readable,
        locale,
        timeZone,
        epochMillis,
        bootMillis,
        anrMillis);
  }

  /** Returns these settings with more readable host folders. */
  public Settings withReadable(java.util.List<String> folders) {
    return new Settings(
        network,
        appPackage,
        dataDir,
        sharedDir,
        cacheDir,
        folders,
        locale,
        timeZone,
        epochMillis,
        bootMillis,
        anrMillis);
  }

  /** Returns these settings with another language and time zone. */
  public Settings withLocale(String tag, String zone) {
    return new Settings(
        network,
        appPackage,
        dataDir,
        sharedDir,
        cacheDir,
        readable,
        tag,
        zone,
        epochMillis,
        bootMillis,
        anrMillis);
  }

  /** Returns these settings for an app of that package. */
  public Settings withPackage(String name) {
    return new Settings(
        network,
        name,
        dataDir,
        sharedDir,
        cacheDir,
        readable,
        locale,
        timeZone,
        epochMillis,
        bootMillis,
        anrMillis);
  }

  /** Returns these settings with another date on which the phone starts. */
  public Settings withEpoch(long millis) {
    return new Settings(
        network,
        appPackage,
        dataDir,
        sharedDir,
        cacheDir,
        readable,
        locale,
        timeZone,
        millis,
        bootMillis,
        anrMillis);
  }
}
