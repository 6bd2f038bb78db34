package dev.fewtaps.twin.inside;

import android.content.Context;
import android.view.View;
import android.view.ViewGroup;
import android.view.accessibility.AccessibilityManager;
import java.util.List;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.shadow.api.Shadow;
import org.robolectric.shadows.ShadowAccessibilityManager;

/** A screen reader: views tell it what happens, and it asks each of them what it shows. */
final class ScreenReading {
  private ScreenReading() {}

  static void turnOn() {
    AccessibilityManager manager =
        (AccessibilityManager)
            RuntimeEnvironment.getApplication().getSystemService(Context.ACCESSIBILITY_SERVICE);
    ShadowAccessibilityManager shadow = Shadow.extract(manager);
    shadow.setEnabled(true);
    shadow.setTouchExplorationEnabled(true);
  }

  /** Asks the views of these windows, as a screen reader does after each change. */
  static void read(List<Windows.Window> windows) {
    for (Windows.Window window : windows) {
      read(window.view);
    }
  }

  private static void read(View view) {
    if (view.getVisibility() != View.VISIBLE) {
      return;
    }
    if (view.isImportantForAccessibility()) {
      view.createAccessibilityNodeInfo();
    }
    if (view instanceof ViewGroup) {
      ViewGroup group = (ViewGroup) view;
      for (int i = 0; i < group.getChildCount(); i++) {
        read(group.getChildAt(i));
      }
    }
  }
}
