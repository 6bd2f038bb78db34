package dev.fewtaps.twin.inside;

/**
 * The memory that apps share with everything else in this JVM.
 *
 * <p>When nearly all of it is in use, Java spends its time looking for more instead of giving up, until real
 * time decides what becomes of the app. So we give up first, by what is in use after a collection.
 */
final class Heap {
  private Heap() {}

  /** Whether so much is in use, even after collecting, that the next run may lack room. */
  static boolean isTight() {
    if (isAbove(50)) {
      collect();
    }
    return isAbove(50);
  }

  /** Throws what the app would get for its next large object if it keeps all that there is. */
  static void check() {
    // The gap between the two keeps collections rare when the app lives just below.
    if (isAbove(96)) {
      collect();
      if (isAbove(88)) {
        throw new OutOfMemoryError("the app keeps nearly all memory that it can have");
      }
    }
  }

  /** Whether there is hardly any room at this moment, perhaps because nobody has collected yet. */
  static boolean isNearlyFull() {
    return isAbove(96);
  }

  /**
   * Collects all that nobody uses. Views and themes hold native memory and are freed by finalizers:
   * one collection finds them, the next frees them, and the JVM, if it comes to that by itself, gives up
   * after the first.
   */
  private static void collect() {
    System.gc();
    System.runFinalization();
    System.gc();
  }

  private static boolean isAbove(int percent) {
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory() > runtime.maxMemory() / 100 * percent;
  }
}
