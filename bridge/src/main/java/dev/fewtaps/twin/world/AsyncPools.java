package dev.fewtaps.twin.world;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** The executors that the Android side puts behind AsyncTask, new in each run. */
public final class AsyncPools {
  private final WorldThreadPool pool;
  private final Executor serial;

  /** Makes executors for the current world. */
  public AsyncPools() {
    pool =
        new WorldThreadPool(
            2,
            4,
            30,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(128),
            new WorldThreadFactory("AsyncTask #"));
    pool.allowCoreThreadTimeOut(true);
    serial = new Serial(pool);
  }

  /** Several tasks at a time, for THREAD_POOL_EXECUTOR. */
  public Executor pool() {
    return pool;
  }

  /** One task after the other, for SERIAL_EXECUTOR. */
  public Executor serial() {
    return serial;
  }

  private static final class Serial implements Executor {
    private final Executor pool;

    /** A task, and the token that the recording has for it. */
    private record Handed(Runnable task, int token) {}

    private final Queue<Handed> tasks = new ArrayDeque<>();
    private boolean active;

    Serial(Executor pool) {
      this.pool = pool;
    }

    @Override
    public void execute(Runnable task) {
      if (isOfTextField(task)) {
        World.current().skipStartDelay();
        task.run();
        return;
      }
      synchronized (tasks) {
        tasks.add(new Handed(task, Recorder.hand("AsyncTask.execute")));
        if (active) {
          return;
        }
        active = true;
      }
      next();
    }

    /**
     * Every text field looks up the locale of its spell checker in the background. Nothing of the
     * app waits for that, so it is done at once: a delay drawn for it would make each run with a
     * text field depend on its world.
     */
    private static boolean isOfTextField(Runnable task) {
      return task.getClass().getName().startsWith("android.widget.TextView$");
    }

    private void next() {
      Handed next;
      synchronized (tasks) {
        next = tasks.poll();
        if (next == null) {
          active = false;
          return;
        }
      }
      pool.execute(
          () -> {
            try {
              Recorder.task(next.token());
              next.task().run();
              Recorder.done();
            } finally {
              next();
            }
          });
    }
  }
}
