package dev.fewtaps.twin.inside;

import android.content.ActivityNotFoundException;
import android.content.ComponentName;
import android.content.Intent;
import android.net.Uri;
import android.os.SystemClock;
import android.text.InputType;
import android.view.InputDevice;
import android.view.KeyCharacterMap;
import android.view.KeyEvent;
import android.view.MotionEvent;
import android.view.Surface;
import android.view.View;
import android.view.WindowManager;
import android.view.inputmethod.EditorInfo;
import android.view.inputmethod.InputConnection;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.Map;
import org.robolectric.shadows.TwinSystemBars;

/** Makes one event happen, as a finger, a keyboard or the system would. */
final class EventInjector {
  private static final long TAP_MILLIS = 60;
  private static final long LONG_PRESS_MILLIS = 650;
  private static final long BETWEEN_TAPS_MILLIS = 80;
  private static final long MOVE_MILLIS = 16;

  private final Device device;
  private final MainLoop loop;
  private Windows.Window target;
  private long downTime;

  EventInjector(Device device, MainLoop loop) {
    this.device = device;
    this.loop = loop;
  }

  /** Performs the event and returns the virtual time to give the app afterwards. */
  long perform(JsonObject event) {
    long think = device.settings().thinkMillis;
    switch (event.get("kind").getAsString()) {
      case "tap":
        press(number(event, "x"), number(event, "y"), TAP_MILLIS);
        return think;
      case "long_press":
        press(number(event, "x"), number(event, "y"), LONG_PRESS_MILLIS);
        return think;
      case "double_tap":
        press(number(event, "x"), number(event, "y"), TAP_MILLIS);
        loop.run(BETWEEN_TAPS_MILLIS);
        press(number(event, "x"), number(event, "y"), TAP_MILLIS);
        return think;
      case "swipe":
        swipe(event);
        return think;
      case "pinch":
        pinch(event);
        return think;
      case "text":
        type(event);
        return think;
      case "key":
        key(event.get("name").getAsString());
        return think;
      case "rotate":
        Orientation.rotate(device, rotationOf(event.get("to").getAsString()));
        return think;
      case "wait":
        return number(event, "ms");
      case "launch":
        comeBack();
        return device.settings().launchMillis;
      case "intent":
        send(intentOf(event));
        return think;
      case "system":
        SystemEvents.perform(device, event);
        return think;
      default:
        throw new IllegalArgumentException(
            "unknown event '" + event.get("kind").getAsString() + "'");
    }
  }

  /** Starts an activity from outside the app, where a missing one does not crash an app. */
  private void send(Intent intent) {
    try {
      device.activities().start(intent, null, null, -1);
    } catch (ActivityNotFoundException e) {
      device.notes().say("no activity for this intent: " + Neighbours.describe(intent));
    }
  }

  private void comeBack() {
    if (device.activities().isEmpty()) {
      device.activities().launch(device.settings().launcher());
    } else {
      device.activities().comeBack();
    }
  }

  private static int rotationOf(String name) {
    switch (name) {
      case "portrait":
        return Surface.ROTATION_0;
      case "landscape":
        return Surface.ROTATION_90;
      case "reverse_portrait":
        return Surface.ROTATION_180;
      case "reverse_landscape":
        return Surface.ROTATION_270;
      default:
        throw new IllegalArgumentException("unknown orientation '" + name + "'");
    }
  }

  // Touch.

  private void press(int x, int y, long millis) {
    touch(MotionEvent.ACTION_DOWN, x, y);
    loop.run(millis);
    touch(MotionEvent.ACTION_UP, x, y);
  }

  private void swipe(JsonObject event) {
    int x1 = number(event, "x1");
    int y1 = number(event, "y1");
    int x2 = number(event, "x2");
    int y2 = number(event, "y2");
    long duration = Math.min(10_000, numberOr(event, "duration_ms", 300));
    touch(MotionEvent.ACTION_DOWN, x1, y1);
    long hold = numberOr(event, "hold_ms", 0);
    if (hold > 0) {
      loop.run(Math.min(10_000, hold));
    }
    int moves = (int) Math.max(2, duration / MOVE_MILLIS);
    long pause = Math.min(MOVE_MILLIS, duration / moves);
    for (int i = 1; i <= moves; i++) {
      loop.run(pause);
      touch(
          MotionEvent.ACTION_MOVE,
          x1 + (x2 - x1) * i / (float) moves,
          y1 + (y2 - y1) * i / (float) moves);
    }
    touch(MotionEvent.ACTION_UP, x2, y2);
  }

  private void pinch(JsonObject event) {
    int x = number(event, "x");
    int y = number(event, "y");
    float from = number(event, "from_span") / 2f;
    float to = number(event, "to_span") / 2f;
    int moves = 12;
    touch(MotionEvent.ACTION_DOWN, x - from, y);
    twoFingers(
        MotionEvent.ACTION_POINTER_DOWN | (1 << MotionEvent.ACTION_POINTER_INDEX_SHIFT),
        x,
        y,
        from);
    for (int i = 1; i <= moves; i++) {
      loop.run(MOVE_MILLIS);
      twoFingers(MotionEvent.ACTION_MOVE, x, y, from + (to - from) * i / moves);
    }
    twoFingers(
        MotionEvent.ACTION_POINTER_UP | (1 << MotionEvent.ACTION_POINTER_INDEX_SHIFT), x, y, to);
    touch(MotionEvent.ACTION_UP, x - to, y);
  }

  private void touch(int action, float x, float y) {
    long now = SystemClock.uptimeMillis();
    if (action == MotionEvent.ACTION_DOWN) {
      downTime = now;
      target = windowAt(x, y);
      if (target != null) {
        TouchMode.enter(target.view);
        Inputs.touched(device, target, x, y);
      }
    }
    MotionEvent motion = MotionEvent.obtain(downTime, now, action, x, y, 0);
    send(motion);
  }

  private void twoFingers(int action, float x, float y, float half) {
    MotionEvent.PointerProperties[] fingers = new MotionEvent.PointerProperties[2];
    MotionEvent.PointerCoords[] places = new MotionEvent.PointerCoords[2];
    for (int i = 0; i < 2; i++) {
      fingers[i] = new MotionEvent.PointerProperties();
      fingers[i].id = i;
      fingers[i].toolType = MotionEvent.TOOL_TYPE_FINGER;
      places[i] = new MotionEvent.PointerCoords();
      places[i].x = i == 0 ? x - half : x + half;
      places[i].y = y;
      places[i].pressure = 1;
      places[i].size = 1;
    }
    send(
        MotionEvent.obtain(
            downTime,
            SystemClock.uptimeMillis(),
            action,
            2,
            fingers,
            places,
            0,
            0,
            1,
            1,
            0,
            0,
            InputDevice.SOURCE_TOUCHSCREEN,
            0));
  }

  private void send(MotionEvent motion) {
    motion.setSource(InputDevice.SOURCE_TOUCHSCREEN);
    if (target != null && target.view.isAttachedToWindow()) {
      motion.offsetLocation(-target.left, -target.top);
      target.view.dispatchTouchEvent(motion);
    }
    motion.recycle();
    loop.runDue();
  }

  /**
   * The window a finger at this place touches, null if it is none of the app's; windows that watch
   * for touches outside are told. The status bar is the system's and lies above the app's windows.
   */
  private Windows.Window windowAt(float x, float y) {
    if (y < TwinSystemBars.statusBarHeight()) {
      return null;
    }
    for (Windows.Window window : device.windows().shown()) {
      if (!window.isTouchable()) {
        continue;
      }
      if (window.takesAllTouches() || window.contains(x, y)) {
        return window;
      }
      if (window.has(WindowManager.LayoutParams.FLAG_WATCH_OUTSIDE_TOUCH)) {
        long now = SystemClock.uptimeMillis();
        MotionEvent outside =
            MotionEvent.obtain(
                now, now, MotionEvent.ACTION_OUTSIDE, x - window.left, y - window.top, 0);
        outside.setSource(InputDevice.SOURCE_TOUCHSCREEN);
        window.view.dispatchTouchEvent(outside);
        outside.recycle();
      }
    }
    return null;
  }

  // Keys and text.

  private void key(String name) {
    if (name.equals("HOME")) {
      device.activities().goHome();
      return;
    }
    int code = KeyEvent.keyCodeFromString("KEYCODE_" + name);
    if (code == KeyEvent.KEYCODE_UNKNOWN && !name.equals("UNKNOWN")) {
      throw new IllegalArgumentException("unknown key '" + name + "'");
    }
    Windows.Window window = device.windows().focused();
    if (window == null) {
      return;
    }
    if (code == KeyEvent.KEYCODE_BACK && Keyboard.isVisible()) {
      Keyboard.hide(window);
      return;
    }
    if (code == KeyEvent.KEYCODE_BACK && BackCallbacks.invoke(window)) {
      return;
    }
    if (TouchMode.isLeftBy(window.view, code)) {
      return;
    }
    Inputs.pressed(window.view);
    long now = SystemClock.uptimeMillis();
    if (!sendKey(window, now, KeyEvent.ACTION_DOWN, code)) {
      moveFocus(window, code);
    }
    loop.run(TAP_MILLIS);
    if (window.view.isAttachedToWindow()) {
      sendKey(window, now, KeyEvent.ACTION_UP, code);
    }
  }

  private boolean sendKey(Windows.Window window, long downTime, int action, int code) {
    KeyEvent event =
        new KeyEvent(
            downTime,
            SystemClock.uptimeMillis(),
            action,
            code,
            0,
            0,
            KeyCharacterMap.VIRTUAL_KEYBOARD,
            0,
            KeyEvent.FLAG_FROM_SYSTEM,
            InputDevice.SOURCE_KEYBOARD);
    boolean handled = window.view.dispatchKeyEvent(event);
    loop.runDue();
    return handled;
  }

  /** The system's reaction to a key that the app did not handle. */
  private static void moveFocus(Windows.Window window, int code) {
    Map<Integer, Integer> directions =
        Map.of(
            KeyEvent.KEYCODE_DPAD_DOWN, View.FOCUS_DOWN,
            KeyEvent.KEYCODE_DPAD_UP, View.FOCUS_UP,
            KeyEvent.KEYCODE_DPAD_LEFT, View.FOCUS_LEFT,
            KeyEvent.KEYCODE_DPAD_RIGHT, View.FOCUS_RIGHT,
            KeyEvent.KEYCODE_TAB, View.FOCUS_FORWARD);
    Integer direction = directions.get(code);
    if (direction == null) {
      return;
    }
    View focused = window.view.findFocus();
    View next = focused == null ? window.view : focused.focusSearch(direction);
    if (next != null) {
      next.requestFocus(direction);
    }
  }

  private void type(JsonObject event) {
    String text = event.get("text").getAsString();
    boolean replace = event.has("replace") && event.get("replace").getAsBoolean();
    if (has(event, "x") && has(event, "y")) {
      press(number(event, "x"), number(event, "y"), TAP_MILLIS);
      loop.run(TAP_MILLIS);
    }
    Windows.Window window = device.windows().focused();
    View field = window == null ? null : window.view.findFocus();
    if (field == null) {
      device.notes().say("no field has the focus: text was not typed");
      return;
    }
    EditorInfo editor = new EditorInfo();
    InputConnection connection =
        field.onCheckIsTextEditor() ? field.onCreateInputConnection(editor) : null;
    if (connection == null) {
      typeByKeys(window, text);
      return;
    }
    Inputs.typed(field);
    if (replace) {
      connection.performContextMenuAction(android.R.id.selectAll);
      loop.runDue();
    }
    // At the end of a line of its own, a keyboard has no new line but the field's action.
    boolean acts =
        text.endsWith("\n") && (editor.inputType & InputType.TYPE_TEXT_FLAG_MULTI_LINE) == 0;
    connection.commitText(acts ? text.substring(0, text.length() - 1) : text, 1);
    connection.finishComposingText();
    loop.runDue();
    if (acts) {
      connection.performEditorAction(editor.imeOptions & EditorInfo.IME_MASK_ACTION);
      loop.runDue();
    }
  }

  private void typeByKeys(Windows.Window window, String text) {
    Inputs.pressed(window.view);
    KeyCharacterMap map = KeyCharacterMap.load(KeyCharacterMap.VIRTUAL_KEYBOARD);
    KeyEvent[] keys = map.getEvents(text.toCharArray());
    if (keys == null) {
      device.notes().say("the focused view takes keys only, and this text has no keys");
      return;
    }
    for (KeyEvent key : keys) {
      window.view.dispatchKeyEvent(KeyEvent.changeTimeRepeat(key, SystemClock.uptimeMillis(), 0));
      loop.runDue();
    }
  }

  // Intents.

  static Intent intentOf(JsonObject event) {
    Intent intent = new Intent();
    if (has(event, "action")) {
      intent.setAction(event.get("action").getAsString());
    }
    Uri data = has(event, "data") ? Uri.parse(event.get("data").getAsString()) : null;
    String mime = has(event, "mime") ? event.get("mime").getAsString() : null;
    if (data != null && mime != null) {
      intent.setDataAndType(data, mime);
    } else if (data != null) {
      intent.setData(data);
    } else if (mime != null) {
      intent.setType(mime);
    }
    if (has(event, "component")) {
      ComponentName component =
          ComponentName.unflattenFromString(event.get("component").getAsString());
      if (component == null) {
        throw new IllegalArgumentException("a component is written package/class");
      }
      intent.setComponent(component);
    }
    if (has(event, "categories")) {
      for (JsonElement category : event.getAsJsonArray("categories")) {
        intent.addCategory(category.getAsString());
      }
    }
    if (has(event, "extras")) {
      putExtras(intent, event.get("extras"));
    }
    return intent;
  }

  private static void putExtras(Intent intent, JsonElement extras) {
    if (extras.isJsonObject()) {
      for (Map.Entry<String, JsonElement> extra : extras.getAsJsonObject().entrySet()) {
        intent.putExtra(extra.getKey(), extra.getValue().getAsString());
      }
      return;
    }
    for (JsonElement pair : extras.getAsJsonArray()) {
      intent.putExtra(
          pair.getAsJsonArray().get(0).getAsString(), pair.getAsJsonArray().get(1).getAsString());
    }
  }

  private static boolean has(JsonObject event, String name) {
    return event.has(name) && !event.get(name).isJsonNull();
  }

  private static int number(JsonObject event, String name) {
    if (!has(event, name)) {
      throw new IllegalArgumentException(
          "event '" + event.get("kind").getAsString() + "' needs " + name);
    }
    return event.get(name).getAsInt();
  }

  private static long numberOr(JsonObject event, String name, long otherwise) {
    return has(event, name) ? event.get(name).getAsLong() : otherwise;
  }
}
