package dev.fewtaps.twin.inside;

import android.graphics.Rect;
import android.view.View;
import android.view.ViewGroup;
import android.widget.AbsSeekBar;
import android.widget.AdapterView;
import android.widget.CalendarView;
import android.widget.CompoundButton;
import android.widget.DatePicker;
import android.widget.NumberPicker;
import android.widget.RadioGroup;
import android.widget.SearchView;
import android.widget.Spinner;
import android.widget.TimePicker;
import dev.fewtaps.twin.world.Recorder;
import java.util.List;
import org.robolectric.util.ReflectionHelpers;

/** Tells a recording into which widgets the user puts something, before the widgets change. */
final class Inputs {
  /** Widgets that keep what a touch or a key chooses; fields keep what is typed. */
  private static final List<Class<?>> KEEPERS =
      List.of(
          CompoundButton.class,
          AbsSeekBar.class,
          AdapterView.class,
          CalendarView.class,
          DatePicker.class,
          NumberPicker.class,
          RadioGroup.class,
          SearchView.class,
          TimePicker.class);

  private Inputs() {}

  /** A text is typed into a field. */
  static void typed(View field) {
    Recorder.input(field);
  }

  /** A key is pressed in a window. */
  static void pressed(View window) {
    View focused = Recorder.isOn() ? window.findFocus() : null;
    if (focused != null && focused.onCheckIsTextEditor()) {
      Recorder.input(focused);
    }
    tell(focused);
  }

  /** A finger touches a place on the screen. */
  static void touched(Device device, Windows.Window window, float x, float y) {
    if (!Recorder.isOn()) {
      return;
    }
    tell(deepest(window.view, (int) x - window.left, (int) y - window.top));
    for (Windows.Window each : device.windows().shown()) {
      if (each != window) {
        tellOpenSpinners(each.view);
      }
    }
  }

  /** Tells of a view and of the views around it, as far as they keep what the user chooses. */
  private static void tell(View view) {
    for (Object each = view; each instanceof View; each = ((View) each).getParent()) {
      for (Class<?> keeper : KEEPERS) {
        if (keeper.isInstance(each)) {
          Recorder.input(each);
          break;
        }
      }
    }
  }

  /** What is touched in the window above an open spinner is a choice of the spinner. */
  private static void tellOpenSpinners(View view) {
    if (view instanceof Spinner) {
      Object popup = ReflectionHelpers.getField(view, "mPopup");
      if (popup != null && (boolean) ReflectionHelpers.callInstanceMethod(popup, "isShowing")) {
        Recorder.input(view);
      }
    } else if (view instanceof ViewGroup) {
      ViewGroup group = (ViewGroup) view;
      for (int i = 0; i < group.getChildCount(); i++) {
        tellOpenSpinners(group.getChildAt(i));
      }
    }
  }

  private static View deepest(View view, int x, int y) {
    if (view instanceof ViewGroup) {
      ViewGroup group = (ViewGroup) view;
      Rect place = new Rect();
      for (int i = group.getChildCount() - 1; i >= 0; i--) {
        View child = group.getChildAt(i);
        place.set(child.getLeft(), child.getTop(), child.getRight(), child.getBottom());
        int childX = x + group.getScrollX();
        int childY = y + group.getScrollY();
        if (child.getVisibility() == View.VISIBLE && place.contains(childX, childY)) {
          return deepest(child, childX - place.left, childY - place.top);
        }
      }
    }
    return view;
  }
}
