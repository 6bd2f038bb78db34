package dev.fewtaps.samples.lab;

import android.animation.Animator;
import android.animation.AnimatorListenerAdapter;
import android.animation.ValueAnimator;
import android.content.AsyncTaskLoader;
import android.content.Context;
import android.content.Loader;
import android.app.LoaderManager;
import android.os.AsyncTask;
import android.os.Bundle;
import android.os.CountDownTimer;
import android.os.Handler;
import android.os.HandlerThread;
import android.os.Looper;
import android.os.SystemClock;
import android.view.Choreographer;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Every way of doing work later or elsewhere; each says when and on which side it ran. */
public final class BackgroundActivity extends LabActivity {
  private static final long DELAY_MS = 1000;

  private final Handler handler = new Handler();

  @Override
  protected void fill() {
    button("Post delayed", () -> {
      long start = SystemClock.uptimeMillis();
      handler.postDelayed(() -> say("posted after " + (SystemClock.uptimeMillis() - start) + " ms"), DELAY_MS);
    });
    button("Timer", this::timer);
    button("Handler thread", this::handlerThread);
    button("Executor", this::executor);
    button("Scheduled", this::scheduled);
    button("Async task", () -> new Task().execute(1, 2, 3));
    button("Async pool", () -> {
      for (int i = 1; i <= 3; i++) {
        new Task().executeOnExecutor(AsyncTask.THREAD_POOL_EXECUTOR, i);
      }
    });
    button("Thread", () -> new Thread(this::sleepThenSay, "plain").start());
    button("Race", this::race);
    button("Future", this::future);
    button("Completable", () ->
        CompletableFuture.supplyAsync(() -> 6).thenApply(x -> x * 7).thenAccept(x -> say("completable " + x)));
    button("Countdown", this::countdown);
    button("Animator", this::animator);
    button("Frame", () -> Choreographer.getInstance().postFrameCallback(nanos -> say("frame drawn")));
    button("Loader", () -> getLoaderManager().restartLoader(0, null, new Numbers()));
    button("Join", this::join);
    button("Wait notify", this::waitNotify);
  }

  private static String side() {
    return Looper.myLooper() == Looper.getMainLooper() ? "main" : "background";
  }

  private void timer() {
    Timer timer = new Timer();
    timer.schedule(
        new TimerTask() {
          private int ticks;

          @Override
          public void run() {
            say("tick " + ++ticks + " on " + side());
            if (ticks == 3) {
              timer.cancel();
            }
          }
        },
        500,
        500);
  }

  private void handlerThread() {
    HandlerThread thread = new HandlerThread("lab-worker");
    thread.start();
    new Handler(thread.getLooper())
        .postDelayed(
            () -> {
              say("handler thread on " + side());
              thread.quitSafely();
            },
            300);
  }

  private void executor() {
    ExecutorService pool = Executors.newFixedThreadPool(2);
    for (int i = 1; i <= 4; i++) {
      int number = i;
      pool.execute(() -> say("executor " + number + " on " + side()));
    }
    pool.shutdown();
  }

  private void scheduled() {
    ScheduledExecutorService pool = Executors.newSingleThreadScheduledExecutor();
    pool.schedule(() -> say("scheduled on " + side()), DELAY_MS, TimeUnit.MILLISECONDS);
    pool.shutdown();
  }

  private void sleepThenSay() {
    try {
      Thread.sleep(DELAY_MS);
    } catch (InterruptedException error) {
      say("interrupted");
      return;
    }
    say("thread " + Thread.currentThread().getName() + " on " + side());
  }

  /** Two threads without any order between them: the world decides who wins. */
  private void race() {
    new Thread(() -> say("race: red"), "red").start();
    new Thread(() -> say("race: blue"), "blue").start();
  }

  private void future() {
    ExecutorService pool = Executors.newSingleThreadExecutor();
    Callable<Integer> work =
        () -> {
          Thread.sleep(100);
          return 42;
        };
    Future<Integer> answer = pool.submit(work);
    try {
      say("future " + answer.get());
    } catch (InterruptedException | ExecutionException error) {
      say("future failed: " + error);
    } finally {
      pool.shutdown();
    }
  }

  private void countdown() {
    new CountDownTimer(1500, 500) {
      @Override
      public void onTick(long left) {
        say("countdown ticks");
      }

      @Override
      public void onFinish() {
        say("countdown done");
      }
    }.start();
  }

  private void animator() {
    ValueAnimator animator = ValueAnimator.ofInt(0, 100);
    animator.setDuration(400);
    animator.addListener(
        new AnimatorListenerAdapter() {
          @Override
          public void onAnimationEnd(Animator animation) {
            say("animated to " + animator.getAnimatedValue());
          }
        });
    animator.start();
  }

  private void join() {
    int[] box = new int[1];
    Thread thread = new Thread(() -> box[0] = 5);
    thread.start();
    try {
      thread.join();
      say("joined " + box[0]);
    } catch (InterruptedException error) {
      say("interrupted");
    }
  }

  private void waitNotify() {
    Object lock = new Object();
    boolean[] ready = new boolean[1];
    new Thread(
            () -> {
              synchronized (lock) {
                ready[0] = true;
                lock.notifyAll();
              }
            })
        .start();
    synchronized (lock) {
      while (!ready[0]) {
        try {
          lock.wait();
        } catch (InterruptedException error) {
          say("interrupted");
          return;
        }
      }
    }
    say("notified");
  }

  private final class Task extends AsyncTask<Integer, Integer, Integer> {
    @Override
    protected void onPreExecute() {
      say("task before on " + side());
    }

    @Override
    protected Integer doInBackground(Integer... numbers) {
      int sum = 0;
      for (int number : numbers) {
        sum += number;
        publishProgress(sum);
      }
      say("task works on " + side());
      return sum;
    }

    @Override
    protected void onProgressUpdate(Integer... values) {
      say("task progress " + values[0]);
    }

    @Override
    protected void onPostExecute(Integer sum) {
      say("task result " + sum + " on " + side());
    }
  }

  private final class Numbers implements LoaderManager.LoaderCallbacks<Integer> {
    @Override
    public Loader<Integer> onCreateLoader(int id, Bundle arguments) {
      AsyncTaskLoader<Integer> loader = new NumberLoader(BackgroundActivity.this);
      loader.forceLoad();
      return loader;
    }

    @Override
    public void onLoadFinished(Loader<Integer> loader, Integer number) {
      say("loaded " + number);
    }

    @Override
    public void onLoaderReset(Loader<Integer> loader) {}
  }

  private static final class NumberLoader extends AsyncTaskLoader<Integer> {
    NumberLoader(Context context) {
      super(context);
    }

    @Override
    public Integer loadInBackground() {
      return 99;
    }
  }
}
