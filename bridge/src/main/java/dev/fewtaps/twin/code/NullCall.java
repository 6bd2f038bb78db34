package dev.fewtaps.twin.code;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;

/**
 * A call on null, worded as Android does: with the kind of the method, the type it returns and full
 * names. The JVM says less; the rest is read from the class.
 */
final class NullCall {
  private NullCall() {}

  /**
   * Returns Android's message for a call that the JVM writes as {@code a.b.Type.method(int,
   * Object)}.
   */
  static String message(String call) {
    Method method = find(call);
    boolean ofInterface = method != null && method.getDeclaringClass().isInterface();
    return String.format(
        "Attempt to invoke %s method '%s' on a null object reference",
        ofInterface ? "interface" : "virtual", method == null ? call : describe(call, method));
  }

  private static String describe(String call, Method method) {
    List<String> arguments = new ArrayList<>();
    for (Class<?> type : method.getParameterTypes()) {
      arguments.add(type.getTypeName());
    }
    return String.format(
        "%s %s.%s(%s)",
        method.getReturnType().getTypeName(),
        full(owner(call)),
        method.getName(),
        String.join(", ", arguments));
  }

  private static String owner(String call) {
    int open = call.indexOf('(');
    int dot = call.lastIndexOf('.', open);
    return dot < 0 ? "" : call.substring(0, dot);
  }

  private static Method find(String call) {
    int open = call.indexOf('(');
    if (open < 0 || !call.endsWith(")") || owner(call).isEmpty()) {
      return null;
    }
    String name = call.substring(owner(call).length() + 1, open);
    String inside = call.substring(open + 1, call.length() - 1);
    String[] arguments = inside.isEmpty() ? new String[0] : inside.split(", ");
    try {
      Class<?> type =
          Class.forName(full(owner(call)), false, Thread.currentThread().getContextClassLoader());
      return find(type, name, arguments);
    } catch (ClassNotFoundException | LinkageError e) {
      return null; // Then the JVM's words have to do.
    }
  }

  private static Method find(Class<?> type, String name, String[] arguments) {
    for (Class<?> each = type; each != null; each = each.getSuperclass()) {
      for (Method method : each.getDeclaredMethods()) {
        if (method.getName().equals(name)
            && !Modifier.isStatic(method.getModifiers())
            && !method.isBridge()
            && takes(method, arguments)) {
          return method;
        }
      }
    }
    for (Class<?> each = type; each != null; each = each.getSuperclass()) {
      for (Class<?> above : each.getInterfaces()) {
        Method method = find(above, name, arguments);
        if (method != null) {
          return method;
        }
      }
    }
    return null;
  }

  private static boolean takes(Method method, String[] arguments) {
    Class<?>[] types = method.getParameterTypes();
    if (types.length != arguments.length) {
      return false;
    }
    for (int i = 0; i < types.length; i++) {
      if (!types[i].getTypeName().equals(full(arguments[i]))) {
        return false;
      }
    }
    return true;
  }

  /** The JVM leaves the package of two classes out. */
  private static String full(String name) {
    String plain = name.replace("[]", "");
    boolean isShort = plain.equals("String") || plain.equals("Object");
    return isShort ? "java.lang." + name : name;
  }
}
