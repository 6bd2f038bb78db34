package dev.fewtaps.twin.inside;

import android.app.Activity;
import android.os.IBinder;
import android.view.View;
import android.view.ViewRootImpl;
import android.view.WindowManager;
import android.view.WindowManagerGlobal;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.robolectric.shadow.api.Shadow;
import org.robolectric.shadows.ShadowViewRootImpl;
import org.robolectric.util.ReflectionHelpers;

/** The windows on the screen, topmost first, and which way the screen is turned. */
final class Windows {
  /** One window: a view tree with the place and rules it was added with. */
  static final class Window {
    final ViewRootImpl root;
    final View view;
    final WindowManager.LayoutParams params;
    final int order;
    final int left;
    final int top;

    Window(ViewRootImpl root, View view, WindowManager.LayoutParams params, int order) {
      this.root = root;
      this.view = view;
      this.params = params;
      this.order = order;
      int[] place = new int[2];
      view.getLocationOnScreen(place);
      left = place[0];
      top = place[1];
    }

    boolean has(int flag) {
      return (params.flags & flag) != 0;
    }

    boolean isTouchable() {
      return !has(WindowManager.LayoutParams.FLAG_NOT_TOUCHABLE);
    }

    boolean isFocusable() {
      return !has(WindowManager.LayoutParams.FLAG_NOT_FOCUSABLE);
    }

    boolean takesAllTouches() {
      return isFocusable() && !has(WindowManager.LayoutParams.FLAG_NOT_TOUCH_MODAL);
    }

    boolean contains(float x, float y) {
      return x >= left && y >= top && x < left + view.getWidth() && y < top + view.getHeight();
    }

    String kind() {
      int type = params.type;
      if (type == WindowManager.LayoutParams.TYPE_BASE_APPLICATION) {
        return "activity";
      }
      if (type < WindowManager.LayoutParams.FIRST_SUB_WINDOW) {
        return "dialog";
      }
      if (type <= WindowManager.LayoutParams.LAST_SUB_WINDOW) {
        return "popup";
      }
      return type == WindowManager.LayoutParams.TYPE_TOAST ? "toast" : "system";
    }

    boolean isActivity() {
      return params.type == WindowManager.LayoutParams.TYPE_BASE_APPLICATION;
    }

    /** System windows cover all windows of apps, whatever came first. */
    boolean isSystem() {
      return params.type > WindowManager.LayoutParams.LAST_SUB_WINDOW;
    }
  }

  private final Device device;
  private int rotation;
  private int userRotation;
  private ViewRootImpl inFocus;

  Windows(Device device) {
    this.device = device;
  }

  int rotation() {
    return rotation;
  }

  void setRotation(int rotation) {
    this.rotation = rotation;
  }

  int userRotation() {
    return userRotation;
  }

  void setUserRotation(int rotation) {
    userRotation = rotation;
  }

  int width() {
    return (rotation & 1) == 0 ? device.settings().width : device.settings().height;
  }

  int height() {
    return (rotation & 1) == 0 ? device.settings().height : device.settings().width;
  }

  /** Whether the activity in front hides the status bar. */
  boolean isFullScreen() {
    Activity top = device.activities().top();
    View decor = top == null || top.getWindow() == null ? null : top.getWindow().peekDecorView();
    return decor != null
        && ((top.getWindow().getAttributes().flags & WindowManager.LayoutParams.FLAG_FULLSCREEN)
                != 0
            || (decor.getWindowSystemUiVisibility() & View.SYSTEM_UI_FLAG_FULLSCREEN) != 0);
  }

  /** The windows a user sees, topmost first. */
  List<Window> shown() {
    List<Activity> visible = device.activities().visible();
    Set<IBinder> tokens = new HashSet<>();
    for (Activity activity : visible) {
      if (activity.getWindow() != null) {
        View decor = activity.getWindow().peekDecorView();
        if (decor != null) {
          tokens.add(activity.getWindow().getAttributes().token);
          tokens.add(decor.getApplicationWindowToken());
          tokens.add(decor.getWindowToken());
        }
      }
    }
    List<Window> windows = new ArrayList<>();
    for (Window window : all()) {
      if (window.view.getVisibility() != View.VISIBLE
          || window.view.getWidth() <= 0
          || window.view.getHeight() <= 0) {
        continue;
      }
      boolean belongs =
          window.isSystem()
              || tokens.contains(window.params.token)
              || tokens.contains(window.view.getApplicationWindowToken());
      if (belongs) {
        tokens.add(window.view.getWindowToken());
        windows.add(window);
      }
    }
    windows.sort(
        Comparator.comparing(Window::isSystem)
            .thenComparingInt(window -> depth(visible, window))
            .thenComparing(window -> !window.isActivity())
            .thenComparingInt(window -> window.order)
            .reversed());
    return windows;
  }

  /** Windows of the activity in front come above those of the activities behind it. */
  private static int depth(List<Activity> visible, Window window) {
    IBinder owner = window.view.getApplicationWindowToken();
    for (int i = 0; i < visible.size(); i++) {
      View decor =
          visible.get(i).getWindow() == null ? null : visible.get(i).getWindow().peekDecorView();
      if (decor != null && (decor == window.view || decor.getApplicationWindowToken() == owner)) {
        return -i;
      }
    }
    return 0;
  }

  /** Closes what an activity left open, which a phone would do too (and log as a leak). */
  void closeAllOf(Activity activity) {
    IBinder token = activity.getActivityToken();
    if (token != null) {
      WindowManagerGlobal.getInstance().closeAll(token, activity.getClass().getName(), "Activity");
    }
  }

  /** The window that keys and text go to: the topmost that takes focus. */
  Window focused() {
    return focusedOf(shown());
  }

  /** The same for windows that are known already, topmost first. */
  static Window focusedOf(List<Window> shown) {
    for (Window window : shown) {
      if (window.isFocusable()) {
        return window;
      }
    }
    return null;
  }

  /** Moves the focus to the window that has a right to it; returns whether it moved. */
  boolean followFocus() {
    Window window = focused();
    ViewRootImpl next = window == null ? null : window.root;
    if (next == inFocus) {
      return false;
    }
    if (inFocus != null && inFocus.getView() != null) {
      Shadow.<ShadowViewRootImpl>extract(inFocus).callWindowFocusChanged(false);
    }
    inFocus = next;
    if (next != null) {
      Shadow.<ShadowViewRootImpl>extract(next).callWindowFocusChanged(true);
    }
    return true;
  }

  @SuppressWarnings("unchecked")
  private static List<Window> all() {
    WindowManagerGlobal global = WindowManagerGlobal.getInstance();
    List<ViewRootImpl> roots = ReflectionHelpers.getField(global, "mRoots");
    List<WindowManager.LayoutParams> params = ReflectionHelpers.getField(global, "mParams");
    List<Window> windows = new ArrayList<>();
    for (int i = 0; i < roots.size(); i++) {
      View view = roots.get(i).getView();
      if (view != null) {
        windows.add(new Window(roots.get(i), view, params.get(i), i));
      }
    }
    return windows;
  }
}
