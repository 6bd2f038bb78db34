package dev.fewtaps.twin.inside;

import android.app.Activity;
import android.app.Application;
import android.content.pm.ActivityInfo;
import android.graphics.Point;
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
    int wish =
        top == null ? ActivityInfo.SCREEN_ORIENTATION_UNSPECIFIED : top.getRequestedOrientation();
    if (turn(device, wish)) {
      device.activities().configurationChanged();
    }
  }

  /** Follows a change of the top activity's wish; returns whether the screen was turned. */
  static boolean follow(Device device, Activity top) {
    if (wanted(device, top.getRequestedOrientation()) == device.windows().rotation()) {
      return false;
    }
    if (turn(device, top.getRequestedOrientation())) {
      device.activities().configurationChanged();
    }
    return true;
  }

  private static int wanted(Device device, int wish) {
    int user = device.windows().userRotation();
    boolean sideways = user == Surface.ROTATION_90 || user == Surface.ROTATION_270;
    switch (wish) {
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

  /**
   * Turns the screen to what an activity wishes for, as a phone does before it creates or resumes
   * one. Returns whether that is a new configuration; the activities are not told of it yet.
   */
  static boolean turn(Device device, int wish) {
    int before = device.windows().rotation();
    int rotation = wanted(device, wish);
    if (before == rotation) {
      return false;
    }
    device.windows().setRotation(rotation);
    Shadows.shadowOf(ShadowDisplay.getDefaultDisplay()).setRotation(rotation);
    boolean turned = ((before ^ rotation) & 1) != 0;
    if (!turned) {
      return false; // Upside down is not a new configuration.
    }
    boolean portraitDevice = device.settings().width <= device.settings().height;
    boolean sideways = (rotation & 1) != 0;
    RuntimeEnvironment.setQualifiers(portraitDevice != sideways ? "+port" : "+land");
    fitScreen(device);
    Application application = RuntimeEnvironment.getApplication();
    application.onConfigurationChanged(application.getResources().getConfiguration());
    return true;
  }

  /**
   * Gives the screen the pixels of the profile: Robolectric counts in whole dp and may miss a few.
   */
  static void fitScreen(Device device) {
    Point size = new Point();
    ShadowDisplay.getDefaultDisplay().getRealSize(size);
    int width = device.windows().width();
    int height = device.windows().height();
    if (!size.equals(width, height)) {
      ShadowDisplay display = Shadows.shadowOf(ShadowDisplay.getDefaultDisplay());
      display.setWidth(width);
      display.setHeight(height);
      display.setRealWidth(width);
      display.setRealHeight(height);
    }
  }
}
