package dev.fewtaps.twin.inside;

import android.content.Intent;
import android.content.pm.ActivityInfo;
import android.content.pm.ApplicationInfo;
import android.content.pm.PackageInfo;
import android.content.pm.PackageManager;
import android.content.pm.ResolveInfo;
import android.os.Build;
import java.util.ArrayList;
import java.util.List;
import org.robolectric.RuntimeEnvironment;

/**
 * The other apps on the phone, as the package manager lists them: each starts and shows nothing.
 */
final class PhoneApps {
  /**
   * An app of the phone.
   *
   * @param kind the kind of neighbour that it is, or null if it is always there
   */
  private record App(String name, String activity, String label, String kind, String version) {}

  private static final List<App> ALL =
      List.of(
          new App("com.android.calendar", "AllInOneActivity", "Calendar", "calendar", "9"),
          new App("com.android.camera2", "CameraActivity", "Camera", "camera", "2.0.002"),
          new App("com.android.chrome", "Main", "Chrome", "browser", "138.0.7204.179"),
          new App("com.android.contacts", "PeopleActivity", "Contacts", "contacts", "1.7.31"),
          new App("com.android.deskclock", "DeskClock", "Clock", "clock", "4.5.0"),
          new App("com.android.gallery3d", "GalleryActivity", "Gallery", "gallery", "1.1.40030"),
          new App(
              "com.android.messaging", "ConversationListActivity", "Messages", "sms", "1.0.001"),
          new App("com.android.settings", "Settings", "Settings", null, "9"));

  private static final int ANDROID_11 = 30;

  private PhoneApps() {}

  /** Whether an app of this name is on the phone. */
  static boolean has(Device device, String name) {
    return there(device).stream().anyMatch(app -> app.name().equals(name));
  }

  private static List<App> there(Device device) {
    List<App> there = new ArrayList<>();
    if (device != null && device.settings().neighboursPresent) {
      for (App app : ALL) {
        if (app.kind() == null || !device.settings().absentNeighbours.contains(app.kind())) {
          there.add(app);
        }
      }
    }
    return there;
  }

  /** From Android 11 on, an app that does not ask to see the others sees few of them. */
  private static List<App> seen(Device device) {
    boolean isBlind =
        device == null
            || (Build.VERSION.SDK_INT >= ANDROID_11
                && device.manifest().applicationInfo.targetSdkVersion >= ANDROID_11
                && RuntimeEnvironment.getApplication()
                        .checkSelfPermission("android.permission.QUERY_ALL_PACKAGES")
                    != PackageManager.PERMISSION_GRANTED);
    return isBlind ? List.of() : there(device);
  }

  /** The apps that a launcher would start by this intent; none if it is not a launcher's. */
  static List<ResolveInfo> launchable(Device device, Intent intent) {
    List<ResolveInfo> found = new ArrayList<>();
    boolean isLauncher =
        Intent.ACTION_MAIN.equals(intent.getAction())
            && intent.hasCategory(Intent.CATEGORY_LAUNCHER)
            && intent.getComponent() == null;
    if (isLauncher) {
      for (App app : seen(device)) {
        if (intent.getPackage() == null || intent.getPackage().equals(app.name())) {
          found.add(resolved(app));
        }
      }
    }
    return found;
  }

  static List<PackageInfo> packages(Device device) {
    List<PackageInfo> found = new ArrayList<>();
    seen(device).forEach(app -> found.add(about(app)));
    return found;
  }

  /** What the phone knows of the app of this name, or null if there is none to be seen. */
  static PackageInfo about(Device device, String name) {
    for (App app : seen(device)) {
      if (app.name().equals(name)) {
        return about(app);
      }
    }
    return null;
  }

  private static ApplicationInfo application(App app) {
    ApplicationInfo info = new ApplicationInfo();
    info.packageName = app.name();
    info.processName = app.name();
    info.nonLocalizedLabel = app.label();
    info.name = app.label();
    info.flags = ApplicationInfo.FLAG_SYSTEM | ApplicationInfo.FLAG_INSTALLED;
    info.enabled = true;
    info.uid = 10_020 + ALL.indexOf(app);
    info.targetSdkVersion = 28;
    info.sourceDir = "/system/app/" + app.label() + "/" + app.label() + ".apk";
    info.publicSourceDir = info.sourceDir;
    info.dataDir = "/data/user/0/" + app.name();
    return info;
  }

  private static PackageInfo about(App app) {
    PackageInfo info = new PackageInfo();
    info.packageName = app.name();
    info.versionName = app.version();
    info.versionCode = 28;
    info.applicationInfo = application(app);
    info.firstInstallTime = PhoneFile.MADE_MILLIS;
    info.lastUpdateTime = PhoneFile.MADE_MILLIS;
    return info;
  }

  private static ResolveInfo resolved(App app) {
    ActivityInfo activity = new ActivityInfo();
    activity.packageName = app.name();
    activity.name = app.name() + "." + app.activity();
    activity.exported = true;
    activity.enabled = true;
    activity.nonLocalizedLabel = app.label();
    activity.applicationInfo = application(app);
    ResolveInfo found = new ResolveInfo();
    found.activityInfo = activity;
    found.nonLocalizedLabel = app.label();
    found.resolvePackageName = app.name();
    return found;
  }
}
