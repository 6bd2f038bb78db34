package dev.fewtaps.twin.inside;

import java.lang.ref.Reference;
import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.robolectric.util.ReflectionHelpers;

/**
 * The thread-local values of the main thread: a new process has none, but our main thread goes on
 * and would hold on to every app that ever ran on it.
 */
final class MainThreadLocals {
  private static final String OURS = "dev.fewtaps.twin.";

  /** Values that Robolectric resets by itself, and expects to stay the same objects. */
  private static final Set<String> KEPT = Set.of("android.os.Looper", "android.view.Choreographer");

  private final Set<ThreadLocal<?>> first = Collections.newSetFromMap(new IdentityHashMap<>());
  private boolean looked;

  /** Forgets what this thread has kept since the first call. */
  void reset() {
    for (String field : List.of("threadLocals", "inheritableThreadLocals")) {
      Object map = ReflectionHelpers.getField(Thread.currentThread(), field);
      for (Object entry : entries(map)) {
        ThreadLocal<?> key = (ThreadLocal<?>) ((Reference<?>) entry).get();
        if (!looked) {
          first.add(key);
        } else if (key != null && !first.contains(key) && !isKept(entry)) {
          remove(map, key);
        }
      }
    }
    looked = true;
  }

  private static List<Object> entries(Object map) {
    List<Object> entries = new ArrayList<>();
    Object table = map == null ? null : ReflectionHelpers.getField(map, "table");
    for (int i = 0; table != null && i < Array.getLength(table); i++) {
      if (Array.get(table, i) != null) {
        entries.add(Array.get(table, i));
      }
    }
    return entries;
  }

  private static boolean isKept(Object entry) {
    Object value = ReflectionHelpers.getField(entry, "value");
    String type = value == null ? "" : value.getClass().getName();
    return type.startsWith(OURS) || KEPT.contains(type);
  }

  private static void remove(Object map, ThreadLocal<?> key) {
    try {
      Method remove = map.getClass().getDeclaredMethod("remove", ThreadLocal.class);
      remove.setAccessible(true);
      remove.invoke(map, key);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }
}
