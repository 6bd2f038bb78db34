package dev.fewtaps.twin.world;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;

/**
 * Tells a hooked call of an app's own override from that override's call of its parent's method.
 *
 * <p>Both arrive at the same hook with the same object. The first is passed on to the override,
 * inside of which the second is the parent's.
 */
final class Guard {
  /** A call that went to the app's override and has not come back. */
  private record Call(Object object, String method) {}

  private static final ThreadLocal<ArrayDeque<Call>> INSIDE =
      ThreadLocal.withInitial(ArrayDeque::new);

  private static final ClassValue<Map<String, Boolean>> OVERRIDES =
      new ClassValue<>() {
        @Override
        protected Map<String, Boolean> computeValue(Class<?> type) {
          return new HashMap<>();
        }
      };

  private Guard() {}

  /** Says whether a call has to go to the app's override: then leave() must follow it. */
  static boolean enter(Object object, String method, Class<?>... parameters) {
    if (object.getClass().getClassLoader() == null
        || !overrides(object.getClass(), method, parameters)) {
      return false;
    }
    ArrayDeque<Call> inside = INSIDE.get();
    for (Call call : inside) {
      if (call.object == object && call.method.equals(method)) {
        return false;
      }
    }
    inside.push(new Call(object, method));
    return true;
  }

  static void leave() {
    INSIDE.get().pop();
  }

  private static boolean overrides(Class<?> type, String method, Class<?>... parameters) {
    Map<String, Boolean> known = OVERRIDES.get(type);
    String key = method + parameters.length;
    synchronized (known) {
      return known.computeIfAbsent(key, k -> declaredByApp(type, method, parameters));
    }
  }

  private static boolean declaredByApp(Class<?> type, String method, Class<?>[] parameters) {
    try {
      Class<?> owner = type.getMethod(method, parameters).getDeclaringClass();
      return owner.getClassLoader() != null && owner.getPackage() != Guard.class.getPackage();
    } catch (NoSuchMethodException e) {
      return false;
    }
  }
}
