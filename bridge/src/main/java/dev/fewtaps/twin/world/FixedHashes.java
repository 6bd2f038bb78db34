package dev.fewtaps.twin.world;

import java.util.List;
import java.util.concurrent.TimeUnit;
import sun.misc.Unsafe;

/**
 * Gives classes and constants of enums the same hash code in every process.
 *
 * <p>Neither can override {@code hashCode}, so the JVM counts: their places in a hash table, and
 * the order in which it is walked through, would depend on all that ran before. HotSpot keeps the
 * code in the object's header, and one that is there before the first question stays.
 */
public final class FixedHashes {
  /** The codes that are given have this bit, those that the JVM counts do not reach it. */
  private static final int FIRST = 1 << 27;

  private static final long HASH = 0x7fffffffL;
  private static final long HEADER = 0;
  private static final int STATE = 7;
  private static final int UNLOCKED = 1;

  /** The places of the code in the versions of HotSpot, and how many objects have to agree. */
  private static final int FIRST_SHIFT = 8;

  private static final int LAST_SHIFT = 11;
  private static final int ENOUGH = 8;
  private static final long ENUM = 7;
  private static final long CLASS = 8;
  private static final Unsafe UNSAFE = RawMemory.UNSAFE;

  /** How far to the left the code stands in the header, or -1 if it is not known. */
  private static final int SHIFT = shift();

  private FixedHashes() {}

  /** The classes of the Java platform that are commonest as keys. */
  public static void begin() {
    List<Class<?>> common =
        List.of(
            boolean.class,
            byte.class,
            char.class,
            short.class,
            int.class,
            long.class,
            float.class,
            double.class,
            void.class,
            Boolean.class,
            Byte.class,
            Character.class,
            Short.class,
            Integer.class,
            Long.class,
            Float.class,
            Double.class,
            Void.class,
            Number.class,
            Object.class,
            String.class,
            CharSequence.class,
            Class.class,
            Enum.class,
            Thread.class,
            Runnable.class,
            Throwable.class,
            Exception.class,
            byte[].class,
            int[].class,
            long[].class,
            Object[].class,
            String[].class,
            java.util.List.class,
            java.util.ArrayList.class,
            java.util.LinkedList.class,
            java.util.Set.class,
            java.util.HashSet.class,
            java.util.LinkedHashSet.class,
            java.util.TreeSet.class,
            java.util.Map.class,
            java.util.HashMap.class,
            java.util.LinkedHashMap.class,
            java.util.TreeMap.class,
            java.util.Collection.class,
            java.util.Queue.class,
            java.util.Date.class,
            java.util.Calendar.class,
            java.util.Locale.class,
            java.util.UUID.class,
            java.util.Currency.class,
            java.util.TimeZone.class,
            java.util.BitSet.class,
            java.util.Optional.class,
            java.io.File.class,
            java.math.BigDecimal.class,
            java.math.BigInteger.class,
            java.net.URI.class,
            java.net.URL.class,
            java.util.concurrent.Executor.class);
    common.forEach(FixedHashes::give);
    for (TimeUnit unit : TimeUnit.values()) {
      give(unit);
    }
    for (Thread.State state : Thread.State.values()) {
      give(state);
    }
  }

  /** Gives a class the hash code of its name, unless it has been asked for one already. */
  public static void give(Class<?> type) {
    if (!isFree(type)) {
      return;
    }
    put(type, Draw.bits(type.getName().hashCode(), CLASS, type.getName().length()));
  }

  /** Gives a constant the hash code of its name, unless it has been asked for one already. */
  public static void give(Enum<?> constant) {
    if (!isFree(constant)) {
      return;
    }
    long name = constant.name() == null ? 0 : constant.name().hashCode();
    put(
        constant,
        Draw.bits(constant.getClass().getName().hashCode(), ENUM, name << 32 | constant.ordinal()));
  }

  /** Loaders ask for each use of a class: only the first one costs more than this look. */
  private static boolean isFree(Object object) {
    return SHIFT >= 0 && isFree(UNSAFE.getLongVolatile(object, HEADER));
  }

  private static boolean isFree(long header) {
    return (header & STATE) == UNLOCKED && (header >>> SHIFT & HASH) == 0;
  }

  private static void put(Object object, long bits) {
    long code = FIRST | bits & (FIRST - 1);
    long header = UNSAFE.getLongVolatile(object, HEADER);
    while (isFree(header)
        && !UNSAFE.compareAndSwapLong(object, HEADER, header, header | code << SHIFT)) {
      header = UNSAFE.getLongVolatile(object, HEADER);
    }
  }

  /** Finds the code in the headers of a few objects; a collection in between may change others. */
  private static int shift() {
    int[] agreeing = new int[LAST_SHIFT + 1];
    for (int i = 0; i < 2 * ENOUGH; i++) {
      Object object = new Object();
      long before = UNSAFE.getLongVolatile(object, HEADER);
      long code = System.identityHashCode(object);
      long after = UNSAFE.getLongVolatile(object, HEADER);
      for (int shift = FIRST_SHIFT; shift <= LAST_SHIFT; shift++) {
        boolean agrees = before == (after & ~(HASH << shift)) && (after >>> shift & HASH) == code;
        if (agrees && (before & STATE) == UNLOCKED && ++agreeing[shift] == ENOUGH) {
          return shift;
        }
      }
    }
    return -1;
  }
}
