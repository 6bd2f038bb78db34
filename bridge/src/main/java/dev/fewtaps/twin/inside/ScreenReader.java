package dev.fewtaps.twin.inside;

import android.app.Activity;
import android.content.res.Resources;
import android.graphics.Rect;
import android.text.method.PasswordTransformationMethod;
import android.view.View;
import android.view.ViewGroup;
import android.webkit.WebView;
import android.widget.AbsListView;
import android.widget.AdapterView;
import android.widget.Checkable;
import android.widget.TextView;
import com.google.gson.stream.JsonWriter;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Turns the view trees of all windows into the message that describes a screen. */
final class ScreenReader {
  /** Longer texts are cut: a screen shows only their beginning, and an app may set megabytes. */
  private static final int LONGEST_TEXT = 10_000;

  /** Deeper trees would overflow a phone's own stack while drawing. */
  private static final int DEEPEST = 200;

  private final Map<Integer, String> names = new HashMap<>();

  /** Forgets the names of another app's ids. */
  void forget() {
    names.clear();
  }

  void write(Device device, List<Toasts.Shown> toasts, JsonWriter out) throws IOException {
    Activity top = device.activities().top();
    Windows windows = device.windows();
    out.beginObject();
    out.name("package").value(top == null ? "" : device.packageName());
    out.name("activity").value(top == null ? "" : top.getClass().getName());
    out.name("width").value(windows.width());
    out.name("height").value(windows.height());
    out.name("rotation").value(windows.rotation());
    out.name("keyboard").value(Keyboard.isVisible());
    out.name("windows").beginArray();
    for (Toasts.Shown toast : toasts) {
      writeToast(toast, windows, out);
    }
    List<Windows.Window> shown = windows.shown();
    Windows.Window focused = Windows.focusedOf(shown);
    Rect screen = new Rect(0, 0, windows.width(), windows.height());
    for (Windows.Window window : shown) {
      out.beginObject();
      String title = textOf(window.params.getTitle());
      if (!title.isEmpty()) {
        out.name("title").value(titleOf(title));
      }
      out.name("kind").value(window.kind());
      out.name("focused").value(focused != null && focused.view == window.view);
      out.name("touchable").value(window.isTouchable());
      out.name("root");
      writeView(window.view, window.left, window.top, screen, 0, out);
      out.endObject();
    }
    out.endArray();
    out.endObject();
  }

  /** Popups are titled with an identity hash, which differs from run to run. */
  private static String titleOf(String title) {
    return title.startsWith("PopupWindow:") ? "PopupWindow" : title;
  }

  private static void writeToast(Toasts.Shown toast, Windows windows, JsonWriter out)
      throws IOException {
    int left = windows.width() / 8;
    int top = windows.height() * 8 / 10;
    out.beginObject();
    out.name("title").value("Toast");
    out.name("kind").value("toast");
    out.name("focused").value(false);
    out.name("touchable").value(false);
    out.name("root").beginObject();
    out.name("class").value("android.widget.TextView");
    out.name("text").value(textOf(toast.text));
    out.name("bounds").beginArray();
    out.value(left).value(top).value(windows.width() - left).value(top + windows.height() / 16);
    out.endArray();
    out.name("flags").value("e");
    out.endObject();
    out.endObject();
  }

  /** Writes a view that is known to be shown, and those of its children that are. */
  private void writeView(View view, float left, float top, Rect clip, int depth, JsonWriter out)
      throws IOException {
    out.beginObject();
    out.name("class").value(view.getClass().getName());
    String name = nameOf(view);
    if (name != null) {
      out.name("id").value(name);
    }
    TextView textView = view instanceof TextView ? (TextView) view : null;
    if (textView != null) {
      writeText("text", textView.getText(), out);
      writeText("hint", textView.getHint(), out);
    }
    writeText("description", view.getContentDescription(), out);
    Rect bounds = boundsOf(view, left, top, clip);
    out.name("bounds").beginArray();
    out.value(bounds.left).value(bounds.top).value(bounds.right).value(bounds.bottom);
    out.endArray();
    out.name("flags").value(flagsOf(view));
    if (textView != null && textView.getInputType() != 0) {
      out.name("input").value(textView.getInputType());
    }
    if (!VirtualViews.write(view, bounds, out) && view instanceof ViewGroup && depth < DEEPEST) {
      writeChildren((ViewGroup) view, left, top, bounds, depth, out);
    }
    out.endObject();
  }

  private void writeChildren(
      ViewGroup group, float left, float top, Rect bounds, int depth, JsonWriter out)
      throws IOException {
    boolean begun = false;
    for (int i = 0; i < group.getChildCount(); i++) {
      View child = group.getChildAt(i);
      if (child == null || child.getVisibility() != View.VISIBLE || child.getAlpha() <= 0f) {
        continue;
      }
      float childLeft = left + child.getX() - group.getScrollX();
      float childTop = top + child.getY() - group.getScrollY();
      if (boundsOf(child, childLeft, childTop, bounds).isEmpty()) {
        continue;
      }
      if (!begun) {
        out.name("children").beginArray();
        begun = true;
      }
      writeView(child, childLeft, childTop, bounds, depth + 1, out);
    }
    if (begun) {
      out.endArray();
    }
  }

  private static Rect boundsOf(View view, float left, float top, Rect clip) {
    int l = Math.round(left);
    int t = Math.round(top);
    Rect bounds = new Rect(l, t, l + view.getWidth(), t + view.getHeight());
    if (!bounds.intersect(clip)) {
      bounds.setEmpty();
    }
    return bounds;
  }

  static void writeText(String name, CharSequence text, JsonWriter out) throws IOException {
    String shown = textOf(text);
    if (!shown.isEmpty()) {
      out.name(name).value(shown);
    }
  }

  /** Returns the beginning of a text; it is empty if there is none or if the app's class fails. */
  private static String textOf(CharSequence text) {
    if (text == null) {
      return "";
    }
    try {
      String shown =
          text.length() > LONGEST_TEXT
              ? text.subSequence(0, LONGEST_TEXT).toString()
              : text.toString();
      return shown == null ? "" : shown;
    } catch (RuntimeException | StackOverflowError | LinkageError broken) {
      return "";
    }
  }

  private String nameOf(View view) {
    int id = view.getId();
    if (id == View.NO_ID || (id & 0xff000000) == 0) {
      return null;
    }
    if (!names.containsKey(id)) {
      String name = null;
      try {
        name = view.getResources().getResourceName(id);
      } catch (Resources.NotFoundException e) {
        // An id made at run time has no name.
      }
      names.put(id, name);
    }
    return names.get(id);
  }

  private static String flagsOf(View view) {
    StringBuilder flags = new StringBuilder(8);
    AdapterView<?> list = listAround(view);
    boolean row = list != null && list.isEnabled();
    if (view.isClickable()
        || (row && list.getOnItemClickListener() != null)
        || isRowOfOwnList(row, list)) {
      flags.append('c');
    }
    if (view.isLongClickable() || (row && list.getOnItemLongClickListener() != null)) {
      flags.append('l');
    }
    if (view.isEnabled()) {
      flags.append('e');
    }
    if (view.isFocusable()) {
      flags.append('f');
    }
    if (view.isFocused()) {
      flags.append('F');
    }
    if (view instanceof Checkable) {
      flags.append('k');
      if (((Checkable) view).isChecked()) {
        flags.append('K');
      }
    }
    if (isScrollable(view)) {
      flags.append('s');
    }
    if (view.isSelected()) {
      flags.append('S');
    }
    if (view instanceof TextView
        && ((TextView) view).getTransformationMethod() instanceof PasswordTransformationMethod) {
      flags.append('p');
    }
    if (view.onCheckIsTextEditor()) {
      flags.append('t');
    }
    if (view instanceof WebView) {
      flags.append('w');
    }
    return flags.toString();
  }

  /**
   * A list that overrides {@code performItemClick} has no listener and takes clicks all the same.
   */
  private static boolean isRowOfOwnList(boolean row, AdapterView<?> list) {
    return row && list instanceof AbsListView && list.isClickable();
  }

  private static AdapterView<?> listAround(View view) {
    return view.getParent() instanceof AdapterView ? (AdapterView<?>) view.getParent() : null;
  }

  private static boolean isScrollable(View view) {
    return view instanceof ViewGroup
        && (view.canScrollVertically(1)
            || view.canScrollVertically(-1)
            || view.canScrollHorizontally(1)
            || view.canScrollHorizontally(-1));
  }
}
