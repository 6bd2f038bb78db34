package dev.fewtaps.twin;

import dev.fewtaps.twin.world.Preparation;
import java.lang.management.ManagementFactory;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Runs an action when a request is not answered within its deadline of real time, or earlier: when
 * it cannot be answered any more, or has computed for a part of the deadline. One thread serves all
 * requests.
 */
final class Watchdog {
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  /** Several looks in a row: the first may come while the answer is being written. */
  private static final int HOPELESS_LOOKS = 6;

  /**
   * A thread may compute for this part of the deadline. The deadline is real time, of which a busy
   * machine gives a thread a third or less; a thread that had all this processor time did hang.
   */
  private static final int PROCESSOR_PART = 3;

  /** What is answered sooner needs no look at the processor time, for which classes are loaded. */
  private static final long SHORT_NANOS = TimeUnit.SECONDS.toNanos(5);

  private BooleanSupplier hopeless;
  private Callable<Void> onExpiry;
  private long deadlineNanos;
  private int lost;
  private Thread worker;
  private long armedNanos;
  private long mostNanos;

  private boolean isLookedAt;

  /** The processor time of the worker when it was looked at first. */
  private long workedBefore;

  Watchdog() {
    Thread thread = new Thread(this::run, "fewtaps-watchdog");
    thread.setDaemon(true);
    thread.start();
  }

  /**
   * Starts to watch one request, which is worked on by a thread: unless {@link #disarm} comes in
   * time, the action runs.
   */
  synchronized void arm(
      long seconds, Thread worker, BooleanSupplier hopeless, Callable<Void> onExpiry) {
    this.hopeless = hopeless;
    this.onExpiry = onExpiry;
    this.worker = worker;
    lost = 0;
    armedNanos = clock();
    mostNanos = TimeUnit.SECONDS.toNanos(seconds);
    deadlineNanos = armedNanos + mostNanos;
    isLookedAt = false;
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

  private boolean hasComputedForLong() {
    if (clock() - armedNanos < SHORT_NANOS) {
      return false;
    }
    // Time that goes into preparing classes is taken off, as it is from real time.
    long worked =
        ManagementFactory.getThreadMXBean().getThreadCpuTime(worker.getId()) - Preparation.nanos();
    if (!isLookedAt) {
      isLookedAt = true;
      workedBefore = worked;
    }
    return worked - workedBefore > mostNanos / PROCESSOR_PART;
  }

  private synchronized Callable<Void> takeExpired() {
    if (onExpiry == null) {
      return null;
    }
    lost = hopeless.getAsBoolean() ? lost + 1 : 0;
    if (lost < HOPELESS_LOOKS && clock() - deadlineNanos < 0 && !hasComputedForLong()) {
      return null;
    }
    Callable<Void> expired = onExpiry;
    onExpiry = null;
    return expired;
  }
}
