package dev.fewtaps.samples.programs;

import android.view.View;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** The result of submitted work goes to the get of its future. */
// Played: open, go. In the slice: 2.
public final class ExecutorFutureProgram extends Program {
  @Override
  public void go(View view) throws Exception {
    ExecutorService pool = Executors.newSingleThreadExecutor(); // full
    Future<Integer> other = pool.submit(new Four()); // out
    Future<Integer> future = pool.submit(new Zero()); // full
    int value = future.get(); // full thin
    shown = 100 / value; // full thin
    shown = other.get();
  }

  static final class Zero implements Callable<Integer> {
    @Override
    public Integer call() {
      return 0; // full thin
    }
  }

  static final class Four implements Callable<Integer> {
    @Override
    public Integer call() {
      return 4; // out
    }
  }
}
