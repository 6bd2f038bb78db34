package dev.fewtaps.twin.world;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** The ways in which hooks block. */
final class Wait {
  private Wait() {}

  /** The uptime after so much time, never before now. */
  static long deadline(Strand me, long timeout, TimeUnit unit) {
    long millis = unit.toMillis(timeout);
    if (timeout > 0 && (millis == 0 || unit.convert(millis, TimeUnit.MILLISECONDS) != timeout)) {
      millis = millis == Long.MAX_VALUE ? millis : millis + 1;
    }
    return after(me, millis);
  }

  static long after(Strand me, long millis) {
    long now = me.world.now();
    return millis <= 0 ? now : millis > Long.MAX_VALUE - now ? Strand.NEVER : now + millis;
  }

  static void until(Strand me, BooleanSupplier condition) throws InterruptedException {
    block(me, condition, Strand.NEVER, true);
  }

  static boolean until(Strand me, BooleanSupplier condition, long deadline)
      throws InterruptedException {
    return block(me, condition, deadline, true);
  }

  /** Blocks, and tells the recording if another thread had to make the condition true. */
  static boolean block(Strand me, BooleanSupplier condition, long deadline, boolean interruptible)
      throws InterruptedException {
    boolean met = me.world.scheduler.block(me, condition, deadline, interruptible);
    if (met && me.waited) {
      Recorder.waited();
    }
    return met;
  }

  static void stubbornly(Strand me, BooleanSupplier condition) {
    try {
      block(me, condition, Strand.NEVER, false);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  static void sleep(Strand me, long millis) throws InterruptedException {
    if (!me.main) {
      me.world.decisions.pauses(me.world.now(), Math.max(1, millis));
    }
    me.world.scheduler.block(me, null, after(me, Math.max(1, millis)), true);
  }

  static boolean retry(Strand me, BooleanSupplier attempt, long deadline)
      throws InterruptedException {
    return attempt(me, attempt, deadline, true);
  }

  static void retryStubbornly(Strand me, BooleanSupplier attempt) {
    try {
      attempt(me, attempt, Strand.NEVER, false);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static boolean attempt(
      Strand me, BooleanSupplier attempt, long deadline, boolean interruptible)
      throws InterruptedException {
    if (!Recorder.isOn()) {
      return me.world.scheduler.retry(me, attempt, deadline, interruptible);
    }
    int[] tries = new int[1];
    BooleanSupplier counted =
        () -> {
          tries[0]++;
          return attempt.getAsBoolean();
        };
    boolean done = me.world.scheduler.retry(me, counted, deadline, interruptible);
    if (done && tries[0] > 1) {
      Recorder.waited();
    }
    return done;
  }
}
