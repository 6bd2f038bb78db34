package dev.fewtaps.samples.hostile;

import java.io.Closeable;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;

/** The Java library reached by reflection: the twin replaces the app's own calls of it, and not these. */
final class Beyond {
  private Beyond() {}

  static Class<?> type(String name) throws ClassNotFoundException {
    return Class.forName(name, true, ClassLoader.getSystemClassLoader());
  }

  static Object make(String type, Object... arguments) throws Exception {
    for (Constructor<?> constructor : type(type).getDeclaredConstructors()) {
      if (fits(constructor.getParameterTypes(), arguments)) {
        constructor.setAccessible(true);
        try {
          return constructor.newInstance(arguments);
        } catch (InvocationTargetException e) {
          throw thrown(e);
        }
      }
    }
    throw new NoSuchMethodException(type);
  }

  /** Calls a method by its name and arguments; a class as the object means a static method. */
  static Object call(Object object, String name, Object... arguments) throws Exception {
    Class<?> start = object instanceof Class ? (Class<?>) object : object.getClass();
    for (Class<?> type = start; type != null; type = type.getSuperclass()) {
      for (Method method : type.getDeclaredMethods()) {
        if (method.getName().equals(name) && fits(method.getParameterTypes(), arguments)) {
          method.setAccessible(true);
          try {
            return method.invoke(object, arguments);
          } catch (InvocationTargetException e) {
            throw thrown(e);
          }
        }
      }
    }
    throw new NoSuchMethodException(name);
  }

  static Object field(Object object, String name) throws Exception {
    Class<?> start = object instanceof Class ? (Class<?>) object : object.getClass();
    for (Class<?> type = start; type != null; type = type.getSuperclass()) {
      for (Field field : type.getDeclaredFields()) {
        if (field.getName().equals(name)) {
          field.setAccessible(true);
          return field.get(object);
        }
      }
    }
    throw new NoSuchFieldException(name);
  }

  /** The first of these fields that there is: newer versions of Java have other names. */
  static Object anyField(Object object, String... names) throws Exception {
    for (String name : names) {
      try {
        return field(object, name);
      } catch (NoSuchFieldException e) {
        continue;
      }
    }
    throw new NoSuchFieldException(String.join(", ", names));
  }

  static Object unsafe() throws Exception {
    return field(type("sun.misc.Unsafe"), "theUnsafe");
  }

  static String property(String name) {
    try {
      return (String) call(type("java.lang.System"), "getProperty", name);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  static InputStream input(String path) throws Exception {
    return (InputStream) make("java.io.FileInputStream", path);
  }

  static OutputStream output(String path) throws Exception {
    return (OutputStream) make("java.io.FileOutputStream", path);
  }

  /** The process's standard output, where the twin's replies go. */
  static OutputStream standardOutput() throws Exception {
    return (OutputStream) make("java.io.FileOutputStream", field(type("java.io.FileDescriptor"), "out"));
  }

  static void close(Object object) throws Exception {
    ((Closeable) object).close();
  }

  private static Exception thrown(InvocationTargetException wrapper) {
    Throwable cause = wrapper.getCause();
    if (cause instanceof Error) {
      throw (Error) cause;
    }
    return (Exception) cause;
  }

  private static boolean fits(Class<?>[] types, Object[] arguments) {
    if (types.length != arguments.length) {
      return false;
    }
    for (int i = 0; i < types.length; i++) {
      boolean same = types[i].isPrimitive() ? boxed(types[i], arguments[i]) : types[i].isInstance(arguments[i]);
      if (!same && !(arguments[i] == null && !types[i].isPrimitive())) {
        return false;
      }
    }
    return true;
  }

  private static boolean boxed(Class<?> type, Object value) {
    return (type == int.class && value instanceof Integer)
        || (type == long.class && value instanceof Long)
        || (type == boolean.class && value instanceof Boolean)
        || (type == byte.class && value instanceof Byte);
  }
}
