package dev.fewtaps.twin.inside;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The memory that apps share with everything else in this JVM.
 *
 * <p>Views and themes are freed by finalizers and cleaners, in threads of their own: one collection
 * finds them, a later one frees what they held. The JVM does not wait for that: it calls the memory
 * full, or, with hardly any room left, searches until real time decides what becomes of the app. So
 * we collect before it comes to that, as often as it helps, and give up before Java does.
 */
final class Heap {
  /** Percent in use at which it pays to collect. */
  private static final int MUCH = 75;

  /** Percent that, if they stay in use, leave the app no room. */
  private static final int FULL = 88;

  private static final int LAST_MOMENT = 96;

  /** Collections that free nothing before it is believed that there is nothing to be freed. */
  private static final int PATIENCE = 3;

  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private static int next = MUCH;

  private Heap() {}

  /** Whether so much is in use, even after collecting, that the next run may lack room. */
  static boolean isTight() {
    next = MUCH;
    return collectWhileAbove(50) > 50;
  }

  /** Whether it is time for {@link #makeRoom}. */
  static boolean wantsRoom() {
    return percent() > next;
  }

  /** Collects; throws what the app would get soon if it keeps all that there is. */
  static void makeRoom() {
    int left = collectWhileAbove(MUCH - 10);
    if (left > FULL) {
      throw new OutOfMemoryError("the app keeps nearly all memory that it can have");
    }
    // An app that lives on much memory is not made to pay for it with each message.
    next = Math.min(LAST_MOMENT, Math.max(MUCH, left + 10));
  }

  /** Whether there is hardly any room at this moment, perhaps only until the next collection. */
  static boolean isNearlyFull() {
    return percent() >= LAST_MOMENT;
  }

  /**
   * Collects until no more than this is in use, or nothing more is freed; returns what is in use
   * then.
   */
  private static int collectWhileAbove(int percent) {
    int used = percent();
    for (int stalled = 0; used > percent && stalled < PATIENCE; ) {
      System.gc();
      System.runFinalization();
      LockSupport.parkNanos(PAUSE_NANOS);
      int now = percent();
      stalled = now < used ? 0 : stalled + 1;
      used = now;
    }
    return used;
  }

  private static int percent() {
    Runtime runtime = Runtime.getRuntime();
    return (int) ((runtime.totalMemory() - runtime.freeMemory()) * 100 / runtime.maxMemory());
  }
}
