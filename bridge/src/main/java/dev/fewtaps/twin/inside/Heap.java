package dev.fewtaps.twin.inside;

/**
 * The memory that apps share with everything else in this JVM.
 *
 * <p>When nearly all of it is in use, Java spends its time looking for more instead of giving up, until real
 * time decides what becomes of the app. So we give up first, by what is in use after a collection.
 */
final class Heap {
  private static final int ROUNDS = 3;

  private Heap() {}

  /** Whether so much is in use, even after collecting, that the next run may lack room. */
  static boolean isTight() {
    return isAboveEvenIfCollected(50);
  }

  /** Throws what the app would get for its next large object if it keeps all that there is. */
  static void check() {
    // The gap between the two keeps collections rare when the app lives just below.
    if (isAbove(96) && isAboveEvenIfCollected(88)) {
      throw new OutOfMemoryError("the app keeps nearly all memory that it can have");
    }
  }

  /** Whether there is hardly any room at this moment, perhaps because nobody has collected yet. */
  static boolean isNearlyFull() {
    return isAbove(96);
  }

  /**
   * Whether more than this is in use, and stays in use. Views and themes hold native memory and are freed by
   * finalizers: one collection finds them, the next frees them and finds what they held in turn. The JVM, if
   * it comes to that by itself, gives up after the first.
   */
  private static boolean isAboveEvenIfCollected(int percent) {
    for (int round = 0; round < ROUNDS && isAbove(percent); round++) {
      System.gc();
      System.runFinalization();
      System.gc();
    }
    return isAbove(percent);
  }

  private static boolean isAbove(int percent) {
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory() > runtime.maxMemory() / 100 * percent;
  }
}
