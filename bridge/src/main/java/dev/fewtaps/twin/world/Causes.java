package dev.fewtaps.twin.world;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/** The causes of exceptions, whose classes and methods may be the app's. */
public final class Causes {
  private static final int LONGEST_CHAIN = 50;

  private Causes() {}

  /**
   * Returns an exception and its causes, outermost first, each once; empty for null.
   *
   * <p>The chain ends where the app's {@code getCause()} fails.
   */
  public static List<Throwable> of(Throwable error) {
    Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    List<Throwable> chain = new ArrayList<>();
    for (Throwable t = error; t != null && chain.size() < LONGEST_CHAIN && seen.add(t); ) {
      chain.add(t);
      try {
        t = t.getCause();
      } catch (RuntimeException | StackOverflowError | LinkageError broken) {
        break;
      }
    }
    return chain;
  }
}
