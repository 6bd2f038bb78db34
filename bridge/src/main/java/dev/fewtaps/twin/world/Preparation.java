package dev.fewtaps.twin.world;

/**
 * Time that goes into translating and preparing classes, or into making room in the heap, which a
 * phone does not need: no deadline and no budget of the app is charged for it.
 */
public final class Preparation {
  private static int active;
  private static long since;
  private static long total;

  private Preparation() {}

  /** Says that this thread starts to prepare something. */
  public static synchronized void begin() {
    if (active++ == 0) {
      since = System.nanoTime();
    }
  }

  /** Says that this thread has done so. */
  public static synchronized void end() {
    if (--active == 0) {
      total += System.nanoTime() - since;
    }
  }

  /** Nanoseconds, since the JVM started, in which at least one thread was at it. */
  public static synchronized long nanos() {
    return total + (active > 0 ? System.nanoTime() - since : 0);
  }
}
