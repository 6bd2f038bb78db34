package dev.fewtaps.twin.inside;

import android.app.Application;
import android.content.ContentResolver;
import android.content.pm.PackageManager;
import android.provider.Settings.Global;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.robolectric.RuntimeEnvironment;

/**
 * What a phone keeps while a process of the app ends and the next one begins, besides its files.
 *
 * <p>Alarms, jobs, notifications, the clipboard and rows that the app wrote into the phone's
 * providers are not kept.
 */
final class PhoneState {
  private final SavedTask task;
  private final int userRotation;
  private final Map<String, Boolean> permissions = new LinkedHashMap<>();
  private final int airplaneMode;
  private final Set<String> access;

  private PhoneState(SavedTask task, int userRotation, int airplaneMode, Set<String> access) {
    this.task = task;
    this.userRotation = userRotation;
    this.airplaneMode = airplaneMode;
    this.access = access;
  }

  /** Reads the state of a phone whose app is in the background. */
  static PhoneState of(Device device) {
    Application application = RuntimeEnvironment.getApplication();
    PhoneState state =
        new PhoneState(
            device.activities().save(),
            device.windows().userRotation(),
            Global.getInt(resolver(), Global.AIRPLANE_MODE_ON, 0),
            device.access().given());
    for (String permission : device.manifest().requestedPermissions) {
      state.permissions.put(
          permission,
          application.checkSelfPermission(permission) == PackageManager.PERMISSION_GRANTED);
    }
    return state;
  }

  private static ContentResolver resolver() {
    return RuntimeEnvironment.getApplication().getContentResolver();
  }

  /** Restores what an app may ask for as soon as its first line runs. */
  void giveTo(Device device, Application application) {
    device.windows().setUserRotation(userRotation);
    permissions.forEach(
        (name, isGranted) ->
            Permissions.change(application, name, isGranted ? "granted" : "denied"));
    access.forEach(right -> device.access().give(application, right));
    Global.putInt(application.getContentResolver(), Global.AIRPLANE_MODE_ON, airplaneMode);
  }

  /** Brings the app to the front: its last activity as it was saved, or a new first one. */
  void comeBack(Device device) {
    device.activities().restore(task);
    if (device.activities().isEmpty()) {
      device.activities().launch(device.settings().launcher());
    } else {
      device.activities().comeBack();
    }
  }
}
