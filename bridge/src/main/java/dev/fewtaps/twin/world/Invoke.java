package dev.fewtaps.twin.world;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The bulk methods of executors, waiting in virtual time. */
final class Invoke {
  private Invoke() {}

  static long deadline(long timeout, TimeUnit unit) {
    Strand me = Strand.here();
    return me == null ? Strand.NEVER : Wait.deadline(me, timeout, unit);
  }

  private static boolean await(java.util.function.BooleanSupplier condition, long deadline)
      throws InterruptedException {
    Strand me = Strand.here();
    if (me != null) {
      return Wait.until(me, condition, deadline);
    }
    while (!condition.getAsBoolean()) {
      Thread.sleep(1);
    }
    return true;
  }

  static <T> List<Future<T>> all(
      ExecutorService pool, Collection<? extends Callable<T>> tasks, long deadline)
      throws InterruptedException {
    List<Future<T>> futures = new ArrayList<>();
    boolean done = false;
    try {
      for (Callable<T> task : tasks) {
        futures.add(pool.submit(task));
      }
      await(() -> futures.stream().allMatch(Future::isDone), deadline);
      done = futures.stream().allMatch(Future::isDone);
      return futures;
    } finally {
      if (!done) {
        futures.forEach(future -> future.cancel(true));
      }
    }
  }

  static <T> T any(ExecutorService pool, Collection<? extends Callable<T>> tasks, long deadline)
      throws InterruptedException, ExecutionException, TimeoutException {
    if (tasks.isEmpty()) {
      throw new IllegalArgumentException();
    }
    List<Future<T>> futures = new ArrayList<>();
    ExecutionException last = null;
    try {
      for (Callable<T> task : tasks) {
        futures.add(pool.submit(task));
      }
      List<Future<T>> open = new ArrayList<>(futures);
      while (!open.isEmpty()) {
        if (!await(() -> open.stream().anyMatch(Future::isDone), deadline)) {
          throw new TimeoutException();
        }
        for (Future<T> future : List.copyOf(open)) {
          if (future.isDone()) {
            open.remove(future);
            try {
              return future.get();
            } catch (ExecutionException e) {
              last = e;
            }
          }
        }
      }
      throw last;
    } finally {
      futures.forEach(future -> future.cancel(true));
    }
  }
}
