package dev.fewtaps.samples.almanac;

import android.content.Context;
import android.view.View;
import android.view.accessibility.AccessibilityNodeInfo;

/** A dial that is not drawn yet; its words for a screen reader come from a shadow that falls later. */
final class Sundial extends View {
  private String shadow;

  Sundial(Context context) {
    super(context);
    setFocusable(true);
  }

  @Override
  public void onInitializeAccessibilityNodeInfo(AccessibilityNodeInfo info) {
    super.onInitializeAccessibilityNodeInfo(info);
    info.setText(shadow.trim());
  }
}
