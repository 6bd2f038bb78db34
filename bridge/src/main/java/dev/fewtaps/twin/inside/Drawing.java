package dev.fewtaps.twin.inside;

import android.graphics.Canvas;
import android.graphics.Picture;
import android.view.View;
import android.view.ViewGroup;
import java.util.List;

/**
 * Lets the app's views draw themselves, as the frames of a phone do: an app may crash, count or go
 * on from there. The drawing is recorded, not painted, and thrown away.
 *
 * <p>Windows with Compose are drawn in each frame that changes them, because Compose lays out and
 * composes while it draws, and what comes next asks for it. The others are drawn once, after an
 * event.
 */
final class Drawing {
  /** After so many frames within one event the rest of an animation is not drawn, but its end. */
  private static final int MOST_FRAMES = 40;

  /** Whether a traversal has come to its drawing since the last frame. */
  private static boolean wanted;

  private static int frames;

  private Drawing() {}

  /** Forgets the frames of the last event. */
  static void begin() {
    wanted = false;
    frames = 0;
  }

  /** Asks for a frame; called where the framework is about to draw a window. */
  static void want() {
    wanted = true;
  }

  /** Draws what the traversals of the last message were about to draw; returns whether it did. */
  static boolean drawWanted(Device device) {
    if (!wanted) {
      return false;
    }
    wanted = false;
    boolean drawn = false;
    if (frames < MOST_FRAMES) {
      List<Windows.Window> shown = device.windows().shown();
      for (int i = shown.size() - 1; i >= 0; i--) {
        View view = shown.get(i).view;
        if (view.isDirty() && isComposed(view)) {
          RecordedFrame.record(view);
          drawn = true;
        }
      }
      frames += drawn ? 1 : 0;
    }
    return drawn;
  }

  static void draw(Device device) {
    List<Windows.Window> shown = device.windows().shown();
    for (int i = shown.size() - 1; i >= 0; i--) {
      View view = shown.get(i).view;
      if (isComposed(view)) {
        RecordedFrame.record(view);
      } else {
        Picture record = new Picture();
        Canvas canvas = record.beginRecording(view.getWidth(), view.getHeight());
        view.draw(canvas);
        record.endRecording();
      }
    }
  }

  /** Whether a group of views of the app's own shows more than views: Compose does. */
  private static boolean isComposed(View view) {
    if (!(view instanceof ViewGroup)) {
      return false;
    }
    ViewGroup group = (ViewGroup) view;
    if (group.getClass().getClassLoader() != View.class.getClassLoader()
        && group.getAccessibilityNodeProvider() != null) {
      return true;
    }
    for (int i = 0; i < group.getChildCount(); i++) {
      if (isComposed(group.getChildAt(i))) {
        return true;
      }
    }
    return false;
  }
}
