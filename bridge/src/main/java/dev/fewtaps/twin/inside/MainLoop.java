package dev.fewtaps.twin.inside;

import android.os.Looper;
import android.os.SystemClock;
import dev.fewtaps.twin.world.Preparation;
import dev.fewtaps.twin.world.Recorder;
import dev.fewtaps.twin.world.World;
import org.robolectric.Shadows;
import org.robolectric.shadow.api.Shadow;
import org.robolectric.shadows.ShadowChoreographer;
import org.robolectric.shadows.ShadowLooper;

/**
 * Drives the app's main thread and, through the world, its background threads, on virtual time.
 *
 * <p>It runs one message at a time, since an app may post for ever at one instant of virtual time:
 * after some hundred messages without the clock moving, the clock is moved by a millisecond.
 */
final class MainLoop {
  private static final int MESSAGES_PER_INSTANT = 200;

  private final Device device;
  private final World world;
  private final ShadowLooper looper = Shadows.shadowOf(Looper.getMainLooper());
  private long instant;
  private int messages;

  MainLoop(Device device, World world) {
    this.device = device;
    this.world = world;
  }

  /** Runs what is due now and returns without moving the clock on. */
  void runDue() {
    run(0);
  }

  /** Lets so much virtual time go by, with all that the app does in it. */
  void run(long millis) {
    long deadline = world.uptimeMillis() + millis;
    while (!world.halted()) {
      if (runOneThing(deadline)) {
        continue;
      }
      long next = Math.min(nextMessage(), Math.min(world.nextWake(), nextFrame()));
      if (next > deadline) {
        break;
      }
      world.advanceTo(
          Math.max(next, world.uptimeMillis() + (next <= world.uptimeMillis() ? 1 : 0)));
    }
    world.advanceTo(deadline);
  }

  /**
   * Runs one message, or the background threads that are due; returns false if all is quiet now.
   */
  private boolean runOneThing(long deadline) {
    if (device.activities().tidy() | device.services().tidy()) {
      return true;
    }
    long now = world.uptimeMillis();
    if (instant != now) {
      instant = now;
      messages = 0;
    }
    if (nextMessage() <= now) {
      if (++messages > MESSAGES_PER_INSTANT) {
        if (now >= deadline) {
          return false; // An app that never rests has had its share of this event.
        }
        world.advanceTo(now + 1);
      }
      if (Heap.wantsRoom()) {
        makeRoom();
      }
      world.mainBegins();
      runOneMessage();
      Drawing.drawWanted(device);
      return true;
    }
    return device.windows().followFocus() || world.runDue();
  }

  private void runOneMessage() {
    if (!Recorder.isOn()) {
      looper.runOneTask();
      return;
    }
    TwinShadows.OfMessageQueue queue = Shadow.extract(Looper.getMainLooper().getQueue());
    Recorder.task(queue.dueToken());
    looper.runOneTask();
    Recorder.done();
  }

  /**
   * Between events: however long the search takes, the app does not hang in it, and no deadline is
   * charged.
   */
  private void makeRoom() {
    world.mainEnds();
    Preparation.begin();
    try {
      Heap.makeRoom();
    } finally {
      Preparation.end();
      world.mainBegins();
    }
  }

  private long nextMessage() {
    long next = looper.getNextScheduledTaskTime().toMillis();
    return next == 0 ? Long.MAX_VALUE : next;
  }

  private static long nextFrame() {
    long next = ShadowChoreographer.getNextVsyncTimeNanos();
    return next == 0 || next / 1_000_000 < SystemClock.uptimeMillis()
        ? Long.MAX_VALUE
        : (next + 999_999) / 1_000_000;
  }
}
