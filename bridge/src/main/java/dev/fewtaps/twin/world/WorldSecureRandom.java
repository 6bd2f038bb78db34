package dev.fewtaps.twin.world;

import java.security.SecureRandom;
import java.security.SecureRandomSpi;
import java.util.Random;

/** Secure-looking random numbers that follow from the world; real ones outside of any. */
@ReplacesType("java/security/SecureRandom")
public class WorldSecureRandom extends SecureRandom {
  private static final long serialVersionUID = 1;

  public WorldSecureRandom() {
    super(new Spi(), null);
  }

  /** A given seed only adds to the world's, as on a phone. */
  public WorldSecureRandom(byte[] seed) {
    this();
  }

  /** For subclasses that bring their own numbers. */
  protected WorldSecureRandom(SecureRandomSpi spi, java.security.Provider provider) {
    super(spi, provider);
  }

  @Override
  public String getAlgorithm() {
    return "SHA1PRNG";
  }

  private static final class Spi extends SecureRandomSpi {
    private static final long serialVersionUID = 1;
    private final Random numbers;

    Spi() {
      Strand me = Strand.here();
      numbers = me == null ? new SecureRandom() : new Random(me.world.randomSeed());
    }

    @Override
    protected void engineSetSeed(byte[] seed) {}

    @Override
    protected void engineNextBytes(byte[] bytes) {
      numbers.nextBytes(bytes);
    }

    @Override
    protected byte[] engineGenerateSeed(int count) {
      byte[] bytes = new byte[count];
      numbers.nextBytes(bytes);
      return bytes;
    }
  }
}
