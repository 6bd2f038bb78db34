package dev.fewtaps.twin.inside;

import android.os.Looper;
import android.view.Choreographer;
import dalvik.system.CloseGuard;
import java.util.Set;
import org.robolectric.internal.ClassTracker;
import org.robolectric.shadows.ShadowPausedChoreographer;
import org.robolectric.util.ReflectionHelpers;

/**
 * Forgets what the framework keeps in static fields and what belonged to the process before: its
 * threads, above all, and handlers that post to them.
 */
final class FrameworkStatics {
  private static final String[][] FIELDS = {
    {"android.app.QueuedWork", "sHandler"},
    {"android.content.AsyncQueryHandler", "sLooper"},
    {"android.media.session.MediaSessionLegacyHelper", "sInstance"},
    {"android.provider.FontsContract", "sHandler", "sThread"},
    {"android.view.InsetsAnimationThread", "sHandler", "sInstance"},
    {"android.view.inputmethod.IInputMethodSessionInvoker", "sAsyncBinderEmulationHandler"},
    {
      "android.view.inputmethod.IAccessibilityInputMethodSessionInvoker",
      "sAsyncBinderEmulationHandler"
    },
    {"android.widget.Magnifier", "sPixelCopyHandlerThread"},
    {"android.widget.RemoteViewsAdapter", "sCacheRemovalQueue", "sCacheRemovalThread"},
    {"android.window.SurfaceSyncGroup", "sHandlerThread"},
    {"com.android.internal.os.BackgroundThread", "sHandler", "sInstance", "sHandlerExecutor"},
  };

  private FrameworkStatics() {}

  static void reset() {
    ClassLoader loader = FrameworkStatics.class.getClassLoader();
    for (String[] line : FIELDS) {
      if (((ClassTracker) loader).isClassLoaded(line[0])) {
        for (int i = 1; i < line.length; i++) {
          clear(loader, line[0], line[i]);
        }
      }
    }
    dropDeadChoreographers();
    // As for any app that does not ask for it: it would keep the stack of every open file.
    CloseGuard.setEnabled(false);
  }

  /** Those of background threads that have ended since. */
  private static void dropDeadChoreographers() {
    Set<Choreographer> known =
        ReflectionHelpers.getStaticField(ShadowPausedChoreographer.class, "activeChoreographers");
    known.removeIf(
        choreographer -> {
          Looper looper = ReflectionHelpers.getField(choreographer, "mLooper");
          return !looper.getThread().isAlive();
        });
  }

  private static void clear(ClassLoader loader, String type, String field) {
    try {
      Class<?> holder = Class.forName(type, true, loader);
      holder.getDeclaredField(field);
      ReflectionHelpers.setStaticField(holder, field, null);
    } catch (ReflectiveOperationException e) {
      // This Android has no such field.
    }
  }
}
