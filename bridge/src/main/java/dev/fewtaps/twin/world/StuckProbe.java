package dev.fewtaps.twin.world;

import dev.fewtaps.twin.world.Strand.State;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.locks.LockSupport;

/**
 * Tells a thread that works from one that is stuck in a real monitor, wait or initializer.
 *
 * <p>A thread blocked by one that stands at a gate can never go on by itself: that is certain, and
 * so the decision does not depend on real time. All other cases are guesses, made after a fixed
 * time.
 */
final class StuckProbe {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
  private static final long STILL_NANOS = 200_000_000L;
  private static final long WORKING_NANOS = 20_000_000_000L;

  /** So long a thread may be without the processor although nothing keeps it any more. */
  static final long FREED_NANOS = 10_000_000_000L;

  /** So many times slower than alone a thread may be on a busy machine. */
  private static final int MOST_BUSY = 10;

  private final Scheduler scheduler;
  private final Strand strand;
  private final long began;
  private final long prepared = Preparation.nanos();
  private long usedBefore = -1;
  private long stillSince;
  private long cpu = -1;
  private int certain;

  StuckProbe(Scheduler scheduler, Strand strand, long began) {
    this.scheduler = scheduler;
    this.strand = strand;
    this.began = began;
    this.stillSince = began;
  }

  boolean stuck(long now) {
    if (worked(now) - (Preparation.nanos() - prepared) > Recorder.patience(WORKING_NANOS)) {
      strand.world.note(
          "the background thread "
              + strand.thread.getName()
              + " worked for too long and was left behind");
      return true;
    }
    Thread.State state = strand.thread.getState();
    if (state == Thread.State.RUNNABLE) {
      certain = 0;
      if (now - stillSince < STILL_NANOS / 4) {
        return false;
      }
      // One that was started but had no processor yet has nothing on its stack.
      if (now - began < FREED_NANOS
          && (strand.isFree() || strand.thread.getStackTrace().length == 0)) {
        stillSince = now;
        return false;
      }
      // Waiting for a class that another thread initializes looks like running; the clock tells.
      long used = THREADS.getThreadCpuTime(strand.thread.getId());
      if (used != cpu) {
        cpu = used;
        stillSince = now;
      }
      return now - stillSince > STILL_NANOS;
    }
    if (heldByGated(strand.thread)) {
      return ++certain >= 2;
    }
    certain = 0;
    if (now - began < FREED_NANOS && strand.isFree()) {
      stillSince = now;
    }
    return now - stillSince > STILL_NANOS;
  }

  /**
   * What the thread has worked: by its own clock, for on a busy machine much time may go by without
   * it.
   */
  private long worked(long now) {
    long used = used(strand.thread);
    if (usedBefore < 0) {
      usedBefore = used;
    }
    return Math.max(used - usedBefore, (now - began) / MOST_BUSY);
  }

  private boolean heldByGated(Thread thread) {
    ThreadInfo info = THREADS.getThreadInfo(thread.getId());
    if (info == null || info.getLockOwnerId() < 0) {
      return false;
    }
    Strand owner = scheduler.byId(info.getLockOwnerId());
    return owner != null
        && owner != strand
        && (owner.attending
            || (owner.state == State.WAITING && owner.thread.getState() == Thread.State.WAITING));
  }

  /**
   * Whether a thread that is blocked wants a monitor that is free again: it goes on as soon as it
   * can.
   */
  static boolean isFreed(Thread thread) {
    ThreadInfo info = THREADS.getThreadInfo(thread.getId());
    return info != null
        && info.getThreadState() == Thread.State.BLOCKED
        && info.getLockOwnerId() < 0;
  }

  static boolean heldByGated(Scheduler scheduler, Strand strand) {
    return new StuckProbe(scheduler, strand, System.nanoTime()).heldByGated(strand.thread);
  }

  /** Processor time that a thread has used, in nanoseconds. */
  static long used(Thread thread) {
    return THREADS.getThreadCpuTime(thread.getId());
  }

  /** Says whether a runnable thread uses the processor, seen over a moment. */
  static boolean progresses(Thread thread) {
    long before = THREADS.getThreadCpuTime(thread.getId());
    for (int i = 0; i < 100; i++) {
      LockSupport.parkNanos(200_000);
      if (THREADS.getThreadCpuTime(thread.getId()) != before
          || thread.getState() != Thread.State.RUNNABLE) {
        return true;
      }
    }
    return false;
  }
}
