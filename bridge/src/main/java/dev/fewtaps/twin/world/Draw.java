package dev.fewtaps.twin.world;

/** Numbers that depend only on the world, a stream and an ordinal, never on real time. */
final class Draw {
  static final long START = 1;
  static final long ORDER = 2;
  static final long RANDOM = 3;
  static final long NETWORK = 4;
  static final long IDENTITY = 5;
  static final long NEIGHBOUR = 6;
  static final long SURROUNDINGS = 7;

  private Draw() {}

  /** Mixes its arguments into 64 well spread bits. */
  static long bits(long seed, long stream, long ordinal) {
    return mix(mix(seed + 0x9e3779b97f4a7c15L) ^ mix(stream * 0xd1342543de82ef95L + ordinal));
  }

  /** Returns a number from 0 to bound - 1. */
  static int below(long bits, int bound) {
    return (int) Long.remainderUnsigned(bits >>> 3, bound);
  }

  private static long mix(long z) {
    z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }
}
