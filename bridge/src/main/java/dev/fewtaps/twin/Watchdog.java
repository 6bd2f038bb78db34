package dev.fewtaps.twin;

import dev.fewtaps.twin.world.Preparation;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Runs an action when a request is not answered within its deadline of real time, or earlier when
 * it cannot be answered any more. One thread serves all requests.
 */
final class Watchdog {
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  /** Several looks in a row: the first may come while the answer is being written. */
  private static final int HOPELESS_LOOKS = 6;

  private BooleanSupplier hopeless;
  private Callable<Void> onExpiry;
  private long deadlineNanos;
  private int lost;

  Watchdog() {
    Thread thread = new Thread(this::run, "fewtaps-watchdog");
    thread.setDaemon(true);
    thread.start();
  }

  /** Starts to watch one request: unless {@link #disarm} comes in time, the action runs. */
  synchronized void arm(long seconds, BooleanSupplier hopeless, Callable<Void> onExpiry) {
    this.hopeless = hopeless;
    this.onExpiry = onExpiry;
    lost = 0;
    deadlineNanos = clock() + TimeUnit.SECONDS.toNanos(seconds);
  }

  /** Returns true if the answer came before the deadline: from then on nothing will happen. */
  synchronized boolean disarm() {
    boolean mine = onExpiry != null;
    onExpiry = null;
    return mine;
  }

  private void run() {
    while (true) {
      // Looking now and then costs nothing; being woken for each of many requests would.
      LockSupport.parkNanos(this, LOOK_NANOS);
      Callable<Void> expired = takeExpired();
      if (expired != null) {
        try {
          expired.call();
        } catch (Throwable e) { // A full memory too: no other thread would end the process.
          Runtime.getRuntime().halt(4);
        }
      }
    }
  }

  /** Stands still while classes are prepared, which takes as long as it takes. */
  private static long clock() {
    return System.nanoTime() - Preparation.nanos();
  }

  private synchronized Callable<Void> takeExpired() {
    if (onExpiry == null) {
      return null;
    }
    lost = hopeless.getAsBoolean() ? lost + 1 : 0;
    if (lost < HOPELESS_LOOKS && clock() - deadlineNanos < 0) {
      return null;
    }
    Callable<Void> expired = onExpiry;
    onExpiry = null;
    return expired;
  }
}
