package dev.fewtaps.twin.code;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** A change to a translated class before the JVM loads it. */
@FunctionalInterface
public interface Transform {
  /** Leaves every class as it is. */
  Transform NONE = (name, bytes) -> bytes;

  /** Returns the bytes to define for the class of that dotted name. */
  byte[] apply(String className, byte[] bytes);

  /** Returns what {@link #apply} would, if that is known already, or null. */
  default byte[] recall(String className) {
    return null;
  }

  /** What there is to say about a class that was prepared, one sentence each. */
  default List<String> notesOf(String className) {
    return List.of();
  }

  /** Returns a transform that does the work once per class and remembers it across loaders. */
  static Transform remembering(Transform transform) {
    Map<String, byte[]> known = new ConcurrentHashMap<>();
    return new Transform() {
      @Override
      public byte[] apply(String className, byte[] bytes) {
        byte[] result = transform.apply(className, bytes);
        known.put(className, result);
        return result;
      }

      @Override
      public byte[] recall(String className) {
        return known.get(className);
      }
    };
  }
}
