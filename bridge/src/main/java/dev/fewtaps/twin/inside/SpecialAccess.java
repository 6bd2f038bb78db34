package dev.fewtaps.twin.inside;

import android.Manifest.permission;
import android.app.Activity;
import android.app.AppOpsManager;
import android.app.Application;
import android.app.NotificationManager;
import android.content.ComponentName;
import android.content.Context;
import android.content.Intent;
import android.content.pm.PackageParser;
import android.os.Build;
import android.os.PowerManager;
import android.os.Process;
import android.provider.Settings.Secure;
import dev.fewtaps.twin.world.World;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.Shadows;
import org.robolectric.shadows.ShadowAlarmManager;
import org.robolectric.shadows.ShadowSettings;

/**
 * Rights that a user gives to an app in the phone's settings, each on a screen of its own.
 *
 * <p>A new phone gives none of them. The user gives one when the app opens its screen, unless
 * permissions are denied; where they are asked for, the world decides.
 */
final class SpecialAccess {
  /** Stands for the right to read all notifications, which has no permission that is asked for. */
  private static final String LISTENER = permission.BIND_NOTIFICATION_LISTENER_SERVICE;

  private static final String VPN = permission.BIND_VPN_SERVICE;
  private static final String VPN_DIALOG = "com.android.vpndialogs";
  private static final String ALL_FILES = "android.permission.MANAGE_EXTERNAL_STORAGE";
  private static final String EXACT_ALARMS = "android.permission.SCHEDULE_EXACT_ALARM";
  private static final String EXACT_ALARMS_ALWAYS = "android.permission.USE_EXACT_ALARM";
  private static final int FIRST_WITH_EXACT_ALARMS = 31;
  private static final int FIRST_WITHOUT_EXACT_ALARMS = 33;

  /** The right that each screen of the settings is about. */
  private static final Map<String, String> BY_SCREEN =
      Map.ofEntries(
          Map.entry(
              "android.settings.action.MANAGE_OVERLAY_PERMISSION", permission.SYSTEM_ALERT_WINDOW),
          Map.entry("android.settings.action.MANAGE_WRITE_SETTINGS", permission.WRITE_SETTINGS),
          Map.entry("android.settings.USAGE_ACCESS_SETTINGS", permission.PACKAGE_USAGE_STATS),
          Map.entry("android.settings.ACTION_NOTIFICATION_LISTENER_SETTINGS", LISTENER),
          Map.entry("android.settings.NOTIFICATION_LISTENER_DETAIL_SETTINGS", LISTENER),
          Map.entry("android.settings.MANAGE_APP_ALL_FILES_ACCESS_PERMISSION", ALL_FILES),
          Map.entry("android.settings.MANAGE_ALL_FILES_ACCESS_PERMISSION", ALL_FILES),
          Map.entry("android.settings.REQUEST_SCHEDULE_EXACT_ALARM", EXACT_ALARMS),
          Map.entry(
              "android.settings.REQUEST_IGNORE_BATTERY_OPTIMIZATIONS",
              permission.REQUEST_IGNORE_BATTERY_OPTIMIZATIONS),
          Map.entry(
              "android.settings.NOTIFICATION_POLICY_ACCESS_SETTINGS",
              permission.ACCESS_NOTIFICATION_POLICY),
          Map.entry(
              "android.settings.MANAGE_UNKNOWN_APP_SOURCES", permission.REQUEST_INSTALL_PACKAGES));

  private final Device device;
  private final Set<String> given = new TreeSet<>();

  SpecialAccess(Device device) {
    this.device = device;
  }

  /** Takes from the app of a new phone what Robolectric would give to it. */
  void install(Application application) {
    if (device.manifest().applicationInfo.targetSdkVersion >= Build.VERSION_CODES.M) {
      setMode(application, "android:write_settings", AppOpsManager.MODE_ERRORED);
    }
    setMode(application, AppOpsManager.OPSTR_GET_USAGE_STATS, AppOpsManager.MODE_DEFAULT);
    Shadows.shadowOf(application.getPackageManager()).setCanRequestPackageInstalls(false);
    if (Build.VERSION.SDK_INT >= FIRST_WITH_EXACT_ALARMS) {
      ShadowAlarmManager.setCanScheduleExactAlarms(mayScheduleAtFirst());
    }
    if (device.settings().permissions.equals("granted") && asksFor(ALL_FILES)) {
      give(application, ALL_FILES);
    }
  }

  private boolean mayScheduleAtFirst() {
    int target = device.manifest().applicationInfo.targetSdkVersion;
    boolean isOlder =
        target < FIRST_WITHOUT_EXACT_ALARMS || Build.VERSION.SDK_INT < FIRST_WITHOUT_EXACT_ALARMS;
    return target < FIRST_WITH_EXACT_ALARMS
        || asksFor(EXACT_ALARMS_ALWAYS)
        || (isOlder && asksFor(EXACT_ALARMS));
  }

  private boolean asksFor(String right) {
    return device.manifest().requestedPermissions.contains(right);
  }

  /** The rights that the user has given. */
  Set<String> given() {
    return Set.copyOf(given);
  }

  boolean has(String right) {
    return given.contains(right);
  }

  /** The user's answer on a screen of the settings, or null if the intent opens none of these. */
  Neighbours.Answer answer(Intent intent) {
    boolean isVpn =
        intent.getComponent() != null && intent.getComponent().getPackageName().equals(VPN_DIALOG);
    String right = isVpn ? VPN : BY_SCREEN.get(String.valueOf(intent.getAction()));
    if (right == null) {
      return null;
    }
    boolean isOurs =
        intent.getData() == null
            || device.packageName().equals(intent.getData().getSchemeSpecificPart());
    boolean isOfService = right.equals(LISTENER) || right.equals(VPN);
    boolean mayHave = isOfService ? !servicesFor(right).isEmpty() : asksFor(right);
    if (!isOurs || !mayHave || !isWilling()) {
      return new Neighbours.Answer(Activity.RESULT_CANCELED, null, () -> {});
    }
    boolean isDialog = isVpn || right.equals(permission.REQUEST_IGNORE_BATTERY_OPTIMIZATIONS);
    return new Neighbours.Answer(
        isDialog ? Activity.RESULT_OK : Activity.RESULT_CANCELED,
        null,
        () -> give(RuntimeEnvironment.getApplication(), right));
  }

  private boolean isWilling() {
    String permissions = device.settings().permissions;
    return permissions.equals("granted")
        || (permissions.equals("asked") && World.current().choice(2) == 0);
  }

  /** Gives the app a right from now on. */
  void give(Application application, String right) {
    given.add(right);
    switch (right) {
      case permission.SYSTEM_ALERT_WINDOW:
        ShadowSettings.setCanDrawOverlays(true);
        break;
      case permission.WRITE_SETTINGS:
        setMode(application, "android:write_settings", AppOpsManager.MODE_ALLOWED);
        break;
      case permission.PACKAGE_USAGE_STATS:
        setMode(application, AppOpsManager.OPSTR_GET_USAGE_STATS, AppOpsManager.MODE_ALLOWED);
        break;
      case LISTENER:
        Secure.putString(
            application.getContentResolver(),
            "enabled_notification_listeners",
            servicesFor(LISTENER));
        break;
      case EXACT_ALARMS:
        ShadowAlarmManager.setCanScheduleExactAlarms(true);
        break;
      case permission.REQUEST_IGNORE_BATTERY_OPTIMIZATIONS:
        Shadows.shadowOf((PowerManager) application.getSystemService(Context.POWER_SERVICE))
            .setIgnoringBatteryOptimizations(device.packageName(), true);
        break;
      case permission.ACCESS_NOTIFICATION_POLICY:
        Shadows.shadowOf(
                (NotificationManager) application.getSystemService(Context.NOTIFICATION_SERVICE))
            .setNotificationPolicyAccessGranted(true);
        break;
      case permission.REQUEST_INSTALL_PACKAGES:
        Shadows.shadowOf(application.getPackageManager()).setCanRequestPackageInstalls(true);
        break;
      default:
        break;
    }
  }

  private void setMode(Application application, String operation, int mode) {
    AppOpsManager operations =
        (AppOpsManager) application.getSystemService(Context.APP_OPS_SERVICE);
    Shadows.shadowOf(operations).setMode(operation, Process.myUid(), device.packageName(), mode);
  }

  /** The intent that asks the user whether the app may be a VPN; null if it may. */
  Intent questionAboutVpn() {
    return has(VPN) ? null : new Intent().setClassName(VPN_DIALOG, VPN_DIALOG + ".ConfirmDialog");
  }

  /** The services of the app that only the system may bind, as the settings keep them. */
  private String servicesFor(String right) {
    StringBuilder names = new StringBuilder();
    for (PackageParser.Service service : device.manifest().services) {
      if (right.equals(service.info.permission)) {
        names.append(names.length() == 0 ? "" : ":");
        names.append(new ComponentName(device.packageName(), service.info.name).flattenToString());
      }
    }
    return names.toString();
  }
}
