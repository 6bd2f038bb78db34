package dev.fewtaps.twin.inside;

import android.app.Instrumentation;
import android.view.KeyEvent;
import android.view.View;
import java.util.Set;
import org.robolectric.util.ReflectionHelpers;
import org.robolectric.util.ReflectionHelpers.ClassParameter;

/**
 * Whether windows are used by finger or by keys. On a phone the code that reads the input does
 * this, which has no part in a twin: the first key that moves the focus leaves touch mode and does
 * nothing else, a touch enters it again, and buttons can have the focus only in between.
 */
final class TouchMode {
  private static final Set<Integer> NAVIGATION =
      Set.of(
          KeyEvent.KEYCODE_DPAD_LEFT,
          KeyEvent.KEYCODE_DPAD_RIGHT,
          KeyEvent.KEYCODE_DPAD_UP,
          KeyEvent.KEYCODE_DPAD_DOWN,
          KeyEvent.KEYCODE_DPAD_CENTER,
          KeyEvent.KEYCODE_PAGE_UP,
          KeyEvent.KEYCODE_PAGE_DOWN,
          KeyEvent.KEYCODE_MOVE_HOME,
          KeyEvent.KEYCODE_MOVE_END,
          KeyEvent.KEYCODE_TAB,
          KeyEvent.KEYCODE_SPACE,
          KeyEvent.KEYCODE_ENTER);

  private TouchMode() {}

  /** Called with each key before it is sent; true if it was used up by leaving touch mode. */
  static boolean isLeftBy(View window, int code) {
    return NAVIGATION.contains(code) && window.isInTouchMode() && change(window, false);
  }

  /** Called with each finger that comes down. */
  static void enter(View window) {
    if (!window.isInTouchMode()) {
      change(window, true);
    }
  }

  private static boolean change(View window, boolean inTouchMode) {
    new Instrumentation().setInTouchMode(inTouchMode);
    Object root = ReflectionHelpers.callInstanceMethod(View.class, window, "getViewRootImpl");
    if (root == null) {
      return false;
    }
    return ReflectionHelpers.<Boolean>callInstanceMethod(
        root, "ensureTouchModeLocally", ClassParameter.from(boolean.class, inTouchMode));
  }
}
