package dev.fewtaps.twin.inside;

import android.app.Activity;
import android.content.pm.ActivityInfo;
import android.content.res.Configuration;
import android.view.Display;
import android.view.Surface;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.Shadows;
import org.robolectric.shadows.ShadowDisplay;

/** Which way the screen is turned: by the user, or by the orientation that an activity asks for. */
final class Orientation {
  private Orientation() {}

  /** Turns the phone; an activity with an orientation of its own keeps it. */
  static void rotate(Device device, int rotation) {
    device.windows().setUserRotation(rotation);
    Activity top = device.activities().top();
    apply(device, wanted(device, top));
  }

  /** Called before an activity is created: it starts in the orientation it asks for. */
  static void onAttached(Activities activities, Device device, Activity activity, ActivityInfo info) {
    if (info.screenOrientation != ActivityInfo.SCREEN_ORIENTATION_UNSPECIFIED) {
      activity.setRequestedOrientation(info.screenOrientation);
    }
  }

  /** Follows a change of the top activity's wish; returns whether the screen was turned. */
  static boolean follow(Activities activities, Device device, Activity top) {
    int rotation = wanted(device, top);
    if (rotation == device.windows().rotation()) {
      return false;
    }
    apply(device, rotation);
    return true;
  }

  private static int wanted(Device device, Activity top) {
    int user = device.windows().userRotation();
    if (top == null) {
      return user;
    }
    boolean sideways = user == Surface.ROTATION_90 || user == Surface.ROTATION_270;
    switch (top.getRequestedOrientation()) {
      case ActivityInfo.SCREEN_ORIENTATION_PORTRAIT:
        return Surface.ROTATION_0;
      case ActivityInfo.SCREEN_ORIENTATION_SENSOR_PORTRAIT:
      case ActivityInfo.SCREEN_ORIENTATION_USER_PORTRAIT:
        return sideways ? Surface.ROTATION_0 : user;
      case ActivityInfo.SCREEN_ORIENTATION_REVERSE_PORTRAIT:
        return Surface.ROTATION_180;
      case ActivityInfo.SCREEN_ORIENTATION_LANDSCAPE:
        return Surface.ROTATION_90;
      case ActivityInfo.SCREEN_ORIENTATION_SENSOR_LANDSCAPE:
      case ActivityInfo.SCREEN_ORIENTATION_USER_LANDSCAPE:
        return sideways ? user : Surface.ROTATION_90;
      case ActivityInfo.SCREEN_ORIENTATION_REVERSE_LANDSCAPE:
        return Surface.ROTATION_270;
      case ActivityInfo.SCREEN_ORIENTATION_NOSENSOR:
      case ActivityInfo.SCREEN_ORIENTATION_LOCKED:
      case ActivityInfo.SCREEN_ORIENTATION_BEHIND:
        return device.windows().rotation();
      default:
        return user;
    }
  }

  private static void apply(Device device, int rotation) {
    int before = device.windows().rotation();
    if (before == rotation) {
      return;
    }
    device.windows().setRotation(rotation);
    Display display = ShadowDisplay.getDefaultDisplay();
    Shadows.shadowOf(display).setRotation(rotation);
    boolean turned = ((before ^ rotation) & 1) != 0;
    if (!turned) {
      return; // Upside down is not a new configuration.
    }
    boolean portraitDevice = device.settings().width <= device.settings().height;
    boolean sideways = (rotation & 1) != 0;
    String qualifier = portraitDevice != sideways ? "+port" : "+land";
    RuntimeEnvironment.setQualifiers(qualifier);
    Configuration configuration =
        RuntimeEnvironment.getApplication().getResources().getConfiguration();
    RuntimeEnvironment.getApplication().onConfigurationChanged(configuration);
    device.activities().configurationChanged(new Configuration(configuration));
  }
}
