package dev.fewtaps.twin.world;

import java.util.Date;
import java.util.PriorityQueue;
import java.util.Timer;
import java.util.TimerTask;

/** A timer on the virtual clock. */
@ReplacesType("java/util/Timer")
public class WorldTimer extends Timer {
  /** One planned task. */
  static final class Job implements Comparable<Job> {
    final TimerTask task;
    final long period;
    final long number;
    volatile long time;
    volatile long scheduled;
    volatile boolean pending = true;
    final int token = Recorder.hand("Timer.schedule");

    Job(TimerTask task, long time, long period, long number) {
      this.task = task;
      this.time = time;
      this.scheduled = time;
      this.period = period;
      this.number = number;
    }

    @Override
    public int compareTo(Job other) {
      int byTime = Long.compare(time, other.time);
      return byTime != 0 ? byTime : Long.compare(number, other.number);
    }
  }

  private final PriorityQueue<Job> jobs = new PriorityQueue<>();
  private volatile boolean cancelled;
  private volatile boolean dead;
  private long count;

  public WorldTimer() {
    this(nextName());
  }

  public WorldTimer(boolean daemon) {
    this(nextName());
  }

  public WorldTimer(String name, boolean daemon) {
    this(name);
  }

  public WorldTimer(String name) {
    super("twin-timer", true);
    super.cancel(); // ends the JDK's own thread, which tells real time
    new WorldThread(this::serve, name).start();
  }

  private static String nextName() {
    Strand me = Strand.current();
    World world = me != null ? me.world : World.current();
    return "Timer-" + (world == null ? 0 : world.nextTimerName());
  }

  private static long now() {
    Strand me = Strand.here();
    World world = me != null ? me.world : World.current();
    return world != null ? world.now() : System.nanoTime() / 1_000_000;
  }

  private synchronized Job head() {
    while (!jobs.isEmpty() && !jobs.peek().pending) {
      jobs.poll();
    }
    return jobs.peek();
  }

  private void serve() {
    try {
      Strand me = Strand.here();
      while (!cancelled && me != null) {
        Job head = head();
        long when = head == null ? Strand.NEVER : head.time;
        if (when <= me.world.now()) {
          run(head);
        } else {
          me.world.scheduler.block(me, () -> cancelled || head() != head, when, false);
        }
      }
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    } finally {
      dead = true;
    }
  }

  private void run(Job job) {
    synchronized (this) {
      jobs.remove(job);
      job.scheduled = job.time;
      if (job.period == 0) {
        job.pending = false;
      } else {
        job.time = job.period < 0 ? now() - job.period : job.time + job.period;
        jobs.add(job);
      }
    }
    Recorder.task(job.token);
    job.task.run();
    Recorder.done();
  }

  private void plan(TimerTask task, long time, long period) {
    if (time < 0) {
      throw new IllegalArgumentException("Illegal execution time.");
    }
    if (cancelled || dead) {
      throw new IllegalStateException("Timer already cancelled.");
    }
    Job job;
    synchronized (this) {
      job = new Job(task, time, period, count++);
    }
    if (task instanceof WorldTimerTask) {
      WorldTimerTask ours = (WorldTimerTask) task;
      if (ours.job != null || ours.isCancelled()) {
        throw new IllegalStateException("Task already scheduled or cancelled");
      }
      ours.job = job;
    }
    synchronized (this) {
      jobs.add(job);
    }
  }

  private static long after(long delay) {
    if (delay < 0) {
      throw new IllegalArgumentException("Negative delay.");
    }
    return delay > Long.MAX_VALUE - now() ? Strand.NEVER : now() + delay;
  }

  private static long at(Date date) {
    return Math.max(0, date.getTime() - World.epochMillis());
  }

  private static long positive(long period) {
    if (period <= 0) {
      throw new IllegalArgumentException("Non-positive period.");
    }
    return period;
  }

  @Override
  public void schedule(TimerTask task, long delay) {
    plan(task, after(delay), 0);
  }

  @Override
  public void schedule(TimerTask task, Date time) {
    plan(task, at(time), 0);
  }

  @Override
  public void schedule(TimerTask task, long delay, long period) {
    plan(task, after(delay), -positive(period));
  }

  @Override
  public void schedule(TimerTask task, Date first, long period) {
    plan(task, at(first), -positive(period));
  }

  @Override
  public void scheduleAtFixedRate(TimerTask task, long delay, long period) {
    plan(task, after(delay), positive(period));
  }

  @Override
  public void scheduleAtFixedRate(TimerTask task, Date first, long period) {
    plan(task, at(first), positive(period));
  }

  @Override
  public void cancel() {
    cancelled = true;
    synchronized (this) {
      jobs.clear();
    }
  }

  @Override
  public synchronized int purge() {
    int before = jobs.size();
    jobs.removeIf(job -> !job.pending);
    return before - jobs.size();
  }
}
