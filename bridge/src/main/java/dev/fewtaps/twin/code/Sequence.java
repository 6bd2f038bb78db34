package dev.fewtaps.twin.code;

/** Hash codes that are the same each time the same work is done, thread by thread. */
public final class Sequence {
  // Spread, because neighbours in a hash table would make every order look sorted.
  private static final int STEP = 0x9E3779B1;
  private static final ThreadLocal<int[]> LAST = ThreadLocal.withInitial(() -> new int[1]);

  private Sequence() {}

  /** Begins the sequence of this thread again. */
  public static void restart() {
    LAST.get()[0] = 0;
  }

  /** Returns {@code known} unless it is zero, and the next hash code otherwise. */
  public static int orNext(int known) {
    if (known != 0) {
      return known;
    }
    int[] last = LAST.get();
    last[0] += STEP;
    return last[0] == 0 ? last[0] += STEP : last[0];
  }
}
