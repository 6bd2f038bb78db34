package dev.fewtaps.twin.world;

import java.lang.reflect.Field;
import sun.misc.Unsafe;

/** The JVM's access to memory by address, past the language. */
final class RawMemory {
  static final Unsafe UNSAFE = unsafe();

  private RawMemory() {}

  private static Unsafe unsafe() {
    try {
      Field field = Unsafe.class.getDeclaredField("theUnsafe");
      field.setAccessible(true);
      return (Unsafe) field.get(null);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }
}
