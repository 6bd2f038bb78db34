package dev.fewtaps.twin.world;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.Set;
import sun.misc.Unsafe;

/**
 * Lets the sets and maps of {@code Set.of} and {@code Map.of} be walked through in the same order
 * in every process.
 *
 * <p>The JVM and Android draw the place where such a walk begins, and its direction, when a process
 * starts. Where an element is kept does not depend on them.
 */
public final class FixedOrder {
  /** Any number with bits in all of its 32 places. */
  private static final long START = 0x9e3779b9L;

  /** The names of the fields since Java 9; which of them there are depends on the version. */
  private static final Set<String> DRAWN = Set.of("SALT", "SALT32L", "REVERSE");

  private FixedOrder() {}

  /** Sets what the JVM drew; to be called before any code that reads it is compiled. */
  public static void begin() {
    for (Field field : collections().getDeclaredFields()) {
      if (Modifier.isStatic(field.getModifiers()) && DRAWN.contains(field.getName())) {
        set(field);
      }
    }
  }

  /** The class behind {@code List.of}, {@code Set.of} and {@code Map.of}. */
  private static Class<?> collections() {
    return List.of().getClass().getEnclosingClass();
  }

  private static void set(Field field) {
    Unsafe unsafe = RawMemory.UNSAFE;
    Object base = unsafe.staticFieldBase(field);
    long offset = unsafe.staticFieldOffset(field);
    if (field.getType() == long.class) {
      unsafe.putLong(base, offset, START);
    } else if (field.getType() == int.class) {
      unsafe.putInt(base, offset, (int) START);
    } else if (field.getType() == boolean.class) {
      unsafe.putBoolean(base, offset, false);
    }
  }
}
