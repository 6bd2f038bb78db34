package dev.fewtaps.twin.inside;

import android.app.Activity;
import org.robolectric.util.ReflectionHelpers;
import org.robolectric.util.ReflectionHelpers.ClassParameter;

/**
 * Requires that a callback of an activity calls its superclass, as the main thread of a phone does.
 *
 * <p>The framework's own checks are in {@code Activity.performStart} and its like. Those of {@code
 * onCreate}, {@code onPostCreate}, {@code onPause} and {@code onDestroy} are in {@code
 * ActivityThread}, which does not run here.
 */
final class SuperCalls {
  private static final String CALLED = "mCalled";

  private SuperCalls() {}

  /**
   * Makes the call; throws what a phone throws if {@code Activity}'s own method was not reached.
   */
  static void require(Activity activity, String component, String method, Runnable call) {
    ReflectionHelpers.setField(Activity.class, activity, CALLED, false);
    call.run();
    boolean called = ReflectionHelpers.getField(activity, CALLED);
    if (!called) {
      throw notCalled("Activity " + component + " did not call through to super." + method + "()");
    }
  }

  private static RuntimeException notCalled(String message) {
    try {
      Class<?> type = Class.forName("android.util.SuperNotCalledException");
      return (RuntimeException)
          ReflectionHelpers.callConstructor(type, ClassParameter.from(String.class, message));
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException(e);
    }
  }
}
