package dev.fewtaps.twin.world;

import java.util.Random;

/** A source of random numbers whose seed, if none is given, is the world's. */
@ReplacesType("java/util/Random")
public class WorldRandom extends Random {
  private static final long serialVersionUID = 1;

  public WorldRandom() {
    super(seed());
  }

  public WorldRandom(long seed) {
    super(seed);
  }

  private static long seed() {
    Strand me = Strand.here();
    return me == null ? new Random().nextLong() : me.world.randomSeed();
  }
}
