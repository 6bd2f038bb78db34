package dev.fewtaps.twin.code;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** What happens to a translated class before the JVM sees it. */
@FunctionalInterface
public interface Transform {
  /** Leaves every class as it is. */
  Transform NONE = (name, bytes) -> bytes;

  /** Returns the bytes to define for the class of that dotted name. */
  byte[] apply(String className, byte[] bytes);

  /** Returns a transform that does the work once per class and remembers it across loaders. */
  static Transform remembering(Transform transform) {
    Map<String, byte[]> known = new ConcurrentHashMap<>();
    return (name, bytes) -> {
      byte[] result = known.get(name);
      if (result == null) {
        result = transform.apply(name, bytes);
        known.put(name, result);
      }
      return result;
    };
  }
}
