package dev.fewtaps.twin.inside;

import android.graphics.Rect;
import android.view.View;
import android.view.accessibility.AccessibilityNodeInfo;
import android.view.accessibility.AccessibilityNodeProvider;
import com.google.gson.stream.JsonWriter;
import java.io.IOException;
import java.util.HashSet;
import java.util.Set;

/**
 * Reads what a view draws without having views for it: Compose, calendars, number pickers.
 *
 * <p>Such views describe their parts to screen readers, and so to us.
 */
final class VirtualViews {
  private static final int DEEPEST = 100;

  private VirtualViews() {}

  /** Writes the parts of a view as an array of children; returns whether there were any. */
  static boolean write(View view, Rect clip, JsonWriter out) throws IOException {
    AccessibilityNodeProvider provider = view.getAccessibilityNodeProvider();
    AccessibilityNodeInfo host = provider == null ? null : node(provider, View.NO_ID);
    if (host == null) {
      return false;
    }
    return writeChildren(provider, host, clip, 0, new HashSet<>(), out);
  }

  private static AccessibilityNodeInfo node(AccessibilityNodeProvider provider, int id) {
    return provider.createAccessibilityNodeInfo(id);
  }

  private static boolean writeChildren(
      AccessibilityNodeProvider provider,
      AccessibilityNodeInfo parent,
      Rect clip,
      int depth,
      Set<Integer> seen,
      JsonWriter out)
      throws IOException {
    boolean begun = false;
    for (int i = 0; i < parent.getChildCount() && depth < DEEPEST; i++) {
      int id = AccessibilityNodeInfo.getVirtualDescendantId(parent.getChildId(i));
      AccessibilityNodeInfo child = seen.add(id) ? node(provider, id) : null;
      if (child == null) {
        continue;
      }
      Rect bounds = new Rect();
      child.getBoundsInScreen(bounds);
      if (!bounds.intersect(clip)) {
        continue;
      }
      if (!begun) {
        out.name("children").beginArray();
        begun = true;
      }
      writeNode(provider, child, bounds, depth, seen, out);
    }
    if (begun) {
      out.endArray();
    }
    return begun;
  }

  private static void writeNode(
      AccessibilityNodeProvider provider,
      AccessibilityNodeInfo node,
      Rect bounds,
      int depth,
      Set<Integer> seen,
      JsonWriter out)
      throws IOException {
    out.beginObject();
    out.name("class")
        .value(node.getClassName() == null ? "android.view.View" : node.getClassName().toString());
    String name = node.getViewIdResourceName();
    if (name != null) {
      out.name("id").value(name);
    }
    ScreenReader.writeText("text", node.getText(), out);
    ScreenReader.writeText("hint", node.getHintText(), out);
    ScreenReader.writeText("description", node.getContentDescription(), out);
    out.name("bounds").beginArray();
    out.value(bounds.left).value(bounds.top).value(bounds.right).value(bounds.bottom);
    out.endArray();
    out.name("flags").value(flagsOf(node));
    if (node.getInputType() != 0) {
      out.name("input").value(node.getInputType());
    }
    writeChildren(provider, node, bounds, depth + 1, seen, out);
    out.endObject();
  }

  private static String flagsOf(AccessibilityNodeInfo node) {
    StringBuilder flags = new StringBuilder(8);
    append(flags, node.isClickable(), 'c');
    append(flags, node.isLongClickable(), 'l');
    append(flags, node.isEnabled(), 'e');
    append(flags, node.isFocusable(), 'f');
    append(flags, node.isFocused(), 'F');
    append(flags, node.isCheckable(), 'k');
    append(flags, node.isChecked(), 'K');
    append(flags, node.isScrollable(), 's');
    append(flags, node.isSelected(), 'S');
    append(flags, node.isPassword(), 'p');
    append(flags, node.isEditable(), 't');
    return flags.toString();
  }

  private static void append(StringBuilder flags, boolean set, char letter) {
    if (set) {
      flags.append(letter);
    }
  }
}
