package dev.fewtaps.twin.inside;

import android.graphics.Canvas;
import android.os.Build;
import android.view.View;
import org.robolectric.util.ReflectionHelpers;
import org.robolectric.util.ReflectionHelpers.ClassParameter;

/**
 * Records what a view draws as a phone with hardware acceleration does: the canvas says that it is
 * accelerated, and takes the recorded layers of Compose, which no other canvas does.
 */
final class RecordedFrame {
  /** The first Android on which recordings are public, and have other names. */
  private static final int PUBLIC_SINCE = Build.VERSION_CODES.P + 1;

  private RecordedFrame() {}

  static void record(View view) {
    Object node = node(view);
    Canvas canvas = begin(node, view.getWidth(), view.getHeight());
    try {
      view.draw(canvas);
    } finally {
      end(node, canvas);
    }
    ReflectionHelpers.callInstanceMethod(node, "discardDisplayList");
  }

  /** Ripples start animations on the recording of an attached view. */
  private static Object node(View view) {
    if (Build.VERSION.SDK_INT < PUBLIC_SINCE) {
      return ReflectionHelpers.callStaticMethod(
          type("android.view.RenderNode"),
          "create",
          ClassParameter.from(String.class, "frame"),
          ClassParameter.from(View.class, view));
    }
    Class<Object> host = type("android.graphics.RenderNode$AnimationHost");
    Object animations =
        ReflectionHelpers.callConstructor(
            type("android.view.ViewAnimationHostBridge"), ClassParameter.from(View.class, view));
    return ReflectionHelpers.callStaticMethod(
        type("android.graphics.RenderNode"),
        "create",
        ClassParameter.from(String.class, "frame"),
        new ClassParameter<>(host, animations));
  }

  private static Canvas begin(Object node, int width, int height) {
    String name = Build.VERSION.SDK_INT < PUBLIC_SINCE ? "start" : "beginRecording";
    return ReflectionHelpers.callInstanceMethod(
        node, name, ClassParameter.from(int.class, width), ClassParameter.from(int.class, height));
  }

  private static void end(Object node, Canvas canvas) {
    if (Build.VERSION.SDK_INT < PUBLIC_SINCE) {
      Class<Object> type = type("android.view.DisplayListCanvas");
      ReflectionHelpers.callInstanceMethod(node, "end", new ClassParameter<>(type, canvas));
    } else {
      ReflectionHelpers.callInstanceMethod(node, "endRecording");
    }
  }

  @SuppressWarnings("unchecked")
  private static Class<Object> type(String name) {
    return (Class<Object>) ReflectionHelpers.loadClass(View.class.getClassLoader(), name);
  }
}
