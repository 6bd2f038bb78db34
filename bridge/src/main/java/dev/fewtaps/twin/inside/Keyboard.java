package dev.fewtaps.twin.inside;

import android.content.Context;
import android.view.View;
import android.view.inputmethod.InputMethodManager;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.Shadows;

/** The soft keyboard: whether the app has it open. */
final class Keyboard {
  private Keyboard() {}

  static boolean isVisible() {
    return Shadows.shadowOf(manager()).isSoftInputVisible();
  }

  /** Closes it, as Back does before anything else. */
  static void hide(Windows.Window window) {
    manager().hideSoftInputFromWindow(window.view.getWindowToken(), 0);
  }

  /**
   * Closes it when the window that has it is no longer in front: the next one opens it if it wants
   * to.
   */
  static void leave(View window) {
    if (window != null && window.isAttachedToWindow() && isVisible()) {
      manager().hideSoftInputFromWindow(window.getWindowToken(), 0);
    }
  }

  private static InputMethodManager manager() {
    return (InputMethodManager)
        RuntimeEnvironment.getApplication().getSystemService(Context.INPUT_METHOD_SERVICE);
  }
}
