package dev.fewtaps.twin.world;

import java.util.concurrent.locks.LockSupport;

/**
 * Drives the world while the main thread is stuck in something real.
 *
 * <p>That is a monitor held by a background thread that stands at a gate, or a wait inside of the
 * framework for a background thread. Looks only while the main thread handles an event.
 */
final class Pump implements Runnable {
  private static final long LOOK_NANOS = 10_000_000L;
  private static final long LOOK_AGAIN_NANOS = 200_000L;
  private static final int LOOKS_IN_TIME = 20;
  private static final int MOST_LOOKS = 250;

  private final World world;
  private volatile boolean pumping;
  private volatile boolean mainWants;

  Pump(World world) {
    this.world = world;
  }

  void start() {
    Thread thread = new Thread(this, "twin-pump");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void run() {
    StuckProbe probe = null;
    while (!world.ended) {
      LockSupport.parkNanos(this, LOOK_NANOS);
      if (!world.inEvent || !standsStill()) {
        probe = null;
        continue;
      }
      long now = System.nanoTime();
      if (probe == null) {
        probe = new StuckProbe(world.scheduler, world.main, now);
      } else if (standsStill() && probe.stuck(now)) {
        pump();
        probe = null;
      }
    }
  }

  private boolean standsStill() {
    if (world.main.attending || mainWants || world.halted()) {
      return false;
    }
    return standsStill(world.main.thread);
  }

  private static boolean standsStill(Thread thread) {
    Thread.State state = thread.getState();
    return state == Thread.State.BLOCKED
        || state == Thread.State.WAITING
        || state == Thread.State.TIMED_WAITING;
  }

  private void pump() {
    world.main.lost = true;
    Recorder.lost();
    pumping = true;
    try {
      long left = world.settings.anrMillis() - world.standstill;
      while (standsStill() && !world.ended) {
        if (world.scheduler.runOne()) {
          LockSupport.parkNanos(100_000); // lets the main thread show that it was freed
          continue;
        }
        if (!staysStill()) {
          continue;
        }
        long next = world.scheduler.nextWake();
        if (next - world.now() > left || next == Strand.NEVER) {
          world.moveTo(world.now() + Math.max(0, left));
          world.hang("the main thread is stuck in a lock or a wait");
          Recorder.stuck();
          free();
          return;
        }
        left -= next - world.now();
        world.standstill += next - world.now();
        world.moveTo(next);
      }
    } finally {
      pumping = false;
      world.main.lost = false;
      Recorder.found();
    }
  }

  /**
   * Whether the main thread waits for something that no running thread gives. One that was freed
   * just before looks the same until it gets the processor, and on a busy machine that takes a
   * while: so only those looks count fully that were in time themselves.
   */
  private boolean staysStill() {
    long began = System.nanoTime();
    int inTime = 0;
    for (int looks = 0; looks < MOST_LOOKS && inTime < LOOKS_IN_TIME; looks++) {
      long before = System.nanoTime();
      LockSupport.parkNanos(LOOK_AGAIN_NANOS);
      long now = System.nanoTime();
      if (!standsStill()) {
        return false;
      }
      if (looks > 1 && StuckProbe.heldByGated(world.scheduler, world.main)) {
        return true;
      }
      if (now - began < StuckProbe.FREED_NANOS && world.main.isFree()) {
        looks = 0;
        inTime = 0;
      } else if (now - before < 5 * LOOK_AGAIN_NANOS) {
        inTime++;
      }
    }
    return true;
  }

  /** Ends the threads that hold what the main thread wants, so that it can unwind. */
  private void free() {
    world.dying = true;
    world.scheduler.killAll();
    if (standsStill(world.main.thread)) {
      world.main.thread.interrupt();
    }
  }

  /**
   * Keeps the main thread, free again, until the thread that was let run in its place has stopped.
   */
  void awaitTurn() {
    mainWants = true;
    try {
      while (pumping) {
        LockSupport.parkNanos(this, 100_000);
        if (Thread.interrupted()) {
          world.main.interruptPending = true;
        }
      }
    } finally {
      mainWants = false;
    }
  }
}
