package dev.fewtaps.twin.world;

import java.util.TimerTask;

/** A task of a timer on the virtual clock. */
@ReplacesType("java/util/TimerTask")
public abstract class WorldTimerTask extends TimerTask {
  volatile WorldTimer.Job job;
  private volatile boolean cancelled;

  protected WorldTimerTask() {}

  @Override
  public boolean cancel() {
    WorldTimer.Job mine = job;
    boolean prevented = !cancelled && mine != null && mine.pending;
    cancelled = true;
    if (mine != null) {
      mine.pending = false;
    }
    return prevented;
  }

  boolean isCancelled() {
    return cancelled;
  }

  @Override
  public long scheduledExecutionTime() {
    WorldTimer.Job mine = job;
    return mine == null ? 0 : World.epochMillis() + mine.scheduled;
  }
}
