package dev.fewtaps.twin.world;

import java.lang.reflect.Field;
import java.security.SecureRandom;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

/** The chance of the world. */
public final class RandomHooks {
  private RandomHooks() {}

  private static Random shared(Strand me) {
    return (Random)
        me.world.singletons.computeIfAbsent("random", key -> new Random(me.world.randomSeed()));
  }

  @Replaces(owner = "java/lang/Math", name = "random", desc = "()D")
  @Replaces(owner = "java/lang/StrictMath", name = "random", desc = "()D")
  public static double random() {
    Strand me = Strand.here();
    return me == null ? Math.random() : shared(me).nextDouble();
  }

  @AfterNew(owner = "java/util/SplittableRandom", desc = "()V")
  public static void splittable(SplittableRandom random) {
    Strand me = Strand.here();
    if (me == null) {
      return;
    }
    try {
      set(SplittableRandom.class, "seed", random, me.world.randomSeed());
      set(SplittableRandom.class, "gamma", random, 0x9e3779b97f4a7c15L);
    } catch (ReflectiveOperationException | RuntimeException e) {
      me.world.note("SplittableRandom could not be seeded");
    }
  }

  @Replaces(
      owner = "java/util/concurrent/ThreadLocalRandom",
      name = "current",
      desc = "()Ljava/util/concurrent/ThreadLocalRandom;")
  public static ThreadLocalRandom threadLocal() {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    Strand me = Strand.here();
    if (me != null && !me.randomSeeded) {
      me.randomSeeded = true;
      try {
        // Its state lives in the thread.
        set(Thread.class, "threadLocalRandomSeed", me.thread, me.world.randomSeed());
      } catch (ReflectiveOperationException | RuntimeException e) {
        me.world.note("ThreadLocalRandom could not be seeded");
      }
    }
    return random;
  }

  private static void set(Class<?> type, String name, Object object, long value)
      throws ReflectiveOperationException {
    Field field = type.getDeclaredField(name);
    field.setAccessible(true);
    field.setLong(object, value);
  }

  @Replaces(owner = "java/util/UUID", name = "randomUUID", desc = "()Ljava/util/UUID;")
  public static UUID randomUuid() {
    Strand me = Strand.here();
    if (me == null) {
      return UUID.randomUUID();
    }
    long high = me.world.randomSeed() & ~0xf000L | 0x4000L;
    long low = me.world.randomSeed() & ~(3L << 62) | 1L << 63;
    return new UUID(high, low);
  }

  @Replaces(owner = "java/util/Collections", name = "shuffle", desc = "(Ljava/util/List;)V")
  public static void shuffle(List<?> list) {
    Strand me = Strand.here();
    if (me == null) {
      Collections.shuffle(list);
    } else {
      Collections.shuffle(list, shared(me));
    }
  }

  @Replaces(
      owner = "java/security/SecureRandom",
      name = "getInstance",
      desc = "(Ljava/lang/String;)Ljava/security/SecureRandom;")
  public static SecureRandom getInstance(String algorithm)
      throws java.security.NoSuchAlgorithmException {
    // Android knows one more name than the JVM does, and no other is known to both.
    return algorithm.equals("SHA1PRNG") || World.current() != null
        ? new WorldSecureRandom()
        : SecureRandom.getInstance(algorithm);
  }

  @Replaces(
      owner = "java/security/SecureRandom",
      name = "getInstance",
      desc = "(Ljava/lang/String;Ljava/lang/String;)Ljava/security/SecureRandom;")
  public static SecureRandom getInstance(String algorithm, String provider) {
    return new WorldSecureRandom();
  }

  @Replaces(
      owner = "java/security/SecureRandom",
      name = "getInstance",
      desc = "(Ljava/lang/String;Ljava/security/Provider;)Ljava/security/SecureRandom;")
  public static SecureRandom getInstance(String algorithm, java.security.Provider provider) {
    return new WorldSecureRandom();
  }

  @Replaces(
      owner = "java/security/SecureRandom",
      name = "getInstanceStrong",
      desc = "()Ljava/security/SecureRandom;")
  public static SecureRandom getInstanceStrong() {
    return new WorldSecureRandom();
  }

  @Replaces(owner = "java/security/SecureRandom", name = "getSeed", desc = "(I)[B")
  public static byte[] getSeed(int count) {
    byte[] bytes = new byte[count];
    new WorldSecureRandom().nextBytes(bytes);
    return bytes;
  }
}
