package dev.fewtaps.twin.inside;

import android.app.Activity;
import android.app.AlertDialog;
import android.app.Application;
import android.content.pm.PackageManager;
import java.util.List;
import org.robolectric.Shadows;

/**
 * Which permissions the app holds: all it asks for, none of the dangerous ones, or what the user
 * says.
 */
final class Permissions {
  private Permissions() {}

  /** Grants what the setting says before the app's first line runs. */
  static void apply(Device device, Application application) {
    List<String> requested = device.manifest().requestedPermissions;
    for (String permission : requested) {
      if (device.settings().permissions.equals("granted") || !DANGEROUS.contains(permission)) {
        Shadows.shadowOf(application).grantPermissions(permission);
      } else {
        Shadows.shadowOf(application).denyPermissions(permission);
      }
    }
  }

  static void change(Application application, String permission, String to) {
    if (permission == null) {
      throw new IllegalArgumentException("system event 'permission' needs name");
    }
    if (to.equals("granted")) {
      Shadows.shadowOf(application).grantPermissions(permission);
    } else {
      Shadows.shadowOf(application).denyPermissions(permission);
    }
  }

  /** Answers a request at run time, at once or after asking with a dialog. */
  static void request(Device device, Activity activity, String[] permissions, int requestCode) {
    boolean ask = device.settings().permissions.equals("asked");
    boolean allHeld = true;
    for (String permission : permissions) {
      allHeld &= activity.checkSelfPermission(permission) == PackageManager.PERMISSION_GRANTED;
    }
    if (!ask || allHeld) {
      boolean grant = allHeld || device.settings().permissions.equals("granted");
      device.activities().post(() -> answer(device, activity, permissions, requestCode, grant));
      return;
    }
    device
        .activities()
        .post(
            () ->
                new AlertDialog.Builder(
                        activity, android.R.style.Theme_DeviceDefault_Light_Dialog_Alert)
                    .setMessage(
                        "Allow this app: " + String.join(", ", shortNames(permissions)) + "?")
                    .setCancelable(false)
                    .setPositiveButton(
                        "Allow",
                        (dialog, which) -> answer(device, activity, permissions, requestCode, true))
                    .setNegativeButton(
                        "Deny",
                        (dialog, which) ->
                            answer(device, activity, permissions, requestCode, false))
                    .show());
  }

  private static void answer(
      Device device, Activity activity, String[] permissions, int requestCode, boolean grant) {
    int[] results = new int[permissions.length];
    for (int i = 0; i < permissions.length; i++) {
      boolean declared = device.manifest().requestedPermissions.contains(permissions[i]);
      if (grant && declared) {
        Shadows.shadowOf(activity.getApplication()).grantPermissions(permissions[i]);
      }
      results[i] = activity.checkSelfPermission(permissions[i]);
    }
    if (!activity.isDestroyed()) {
      activity.onRequestPermissionsResult(requestCode, permissions, results);
    }
  }

  private static String[] shortNames(String[] permissions) {
    String[] names = new String[permissions.length];
    for (int i = 0; i < names.length; i++) {
      names[i] = permissions[i].substring(permissions[i].lastIndexOf('.') + 1);
    }
    return names;
  }

  private static final List<String> DANGEROUS =
      List.of(
          "android.permission.READ_CALENDAR",
          "android.permission.WRITE_CALENDAR",
          "android.permission.CAMERA",
          "android.permission.READ_CONTACTS",
          "android.permission.WRITE_CONTACTS",
          "android.permission.GET_ACCOUNTS",
          "android.permission.ACCESS_FINE_LOCATION",
          "android.permission.ACCESS_COARSE_LOCATION",
          "android.permission.ACCESS_BACKGROUND_LOCATION",
          "android.permission.RECORD_AUDIO",
          "android.permission.READ_PHONE_STATE",
          "android.permission.READ_PHONE_NUMBERS",
          "android.permission.CALL_PHONE",
          "android.permission.ANSWER_PHONE_CALLS",
          "android.permission.READ_CALL_LOG",
          "android.permission.WRITE_CALL_LOG",
          "android.permission.PROCESS_OUTGOING_CALLS",
          "android.permission.USE_SIP",
          "com.android.voicemail.permission.ADD_VOICEMAIL",
          "android.permission.BODY_SENSORS",
          "android.permission.ACTIVITY_RECOGNITION",
          "android.permission.SEND_SMS",
          "android.permission.RECEIVE_SMS",
          "android.permission.READ_SMS",
          "android.permission.RECEIVE_WAP_PUSH",
          "android.permission.RECEIVE_MMS",
          "android.permission.READ_EXTERNAL_STORAGE",
          "android.permission.WRITE_EXTERNAL_STORAGE",
          "android.permission.READ_MEDIA_IMAGES",
          "android.permission.READ_MEDIA_VIDEO",
          "android.permission.READ_MEDIA_AUDIO",
          "android.permission.POST_NOTIFICATIONS",
          "android.permission.BLUETOOTH_CONNECT",
          "android.permission.BLUETOOTH_SCAN",
          "android.permission.BLUETOOTH_ADVERTISE",
          "android.permission.NEARBY_WIFI_DEVICES",
          "android.permission.UWB_RANGING");
}
