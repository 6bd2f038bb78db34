package dev.fewtaps.twin.world;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinTask;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The JDK's type in front of a plain pool of ours. */
@ReplacesType("java/util/concurrent/ForkJoinPool")
public class WorldForkJoinPool extends ForkJoinPool {
  private final WorldThreadPool engine;

  public WorldForkJoinPool() {
    this(4);
  }

  public WorldForkJoinPool(int parallelism) {
    this(parallelism, "ForkJoinPool-" + number() + "-worker-");
  }

  public WorldForkJoinPool(
      int parallelism,
      ForkJoinWorkerThreadFactory factory,
      Thread.UncaughtExceptionHandler handler,
      boolean asyncMode) {
    this(parallelism);
  }

  WorldForkJoinPool(int parallelism, String prefix) {
    super(parallelism);
    engine =
        new WorldThreadPool(
            parallelism,
            parallelism,
            60,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            new WorldThreadFactory(prefix));
    engine.allowCoreThreadTimeOut(true);
  }

  private static int number() {
    Strand me = Strand.current();
    World world = me != null ? me.world : World.current();
    return world == null ? 1 : world.nextPoolName();
  }

  @Override
  public <T> T invoke(ForkJoinTask<T> task) {
    execute(task);
    Strand me = Strand.here();
    if (me != null) {
      Wait.stubbornly(me, task::isDone);
    }
    return task.join();
  }

  @Override
  public void execute(ForkJoinTask<?> task) {
    engine.execute(() -> ForkHooks.runOnce(task));
  }

  @Override
  public void execute(Runnable task) {
    engine.execute(task);
  }

  @Override
  public <T> ForkJoinTask<T> submit(ForkJoinTask<T> task) {
    execute(task);
    return task;
  }

  @Override
  public <T> ForkJoinTask<T> submit(Callable<T> task) {
    return submit(ForkJoinTask.adapt(task));
  }

  @Override
  public <T> ForkJoinTask<T> submit(Runnable task, T result) {
    return submit(ForkJoinTask.adapt(task, result));
  }

  @Override
  public ForkJoinTask<?> submit(Runnable task) {
    return submit(ForkJoinTask.adapt(task));
  }

  @Override
  public <T> List<Future<T>> invokeAll(Collection<? extends Callable<T>> tasks) {
    try {
      return Invoke.all(engine, tasks, Strand.NEVER);
    } catch (InterruptedException e) {
      throw new java.util.concurrent.CancellationException();
    }
  }

  @Override
  public <T> List<Future<T>> invokeAll(
      Collection<? extends Callable<T>> tasks, long timeout, TimeUnit unit)
      throws InterruptedException {
    return Invoke.all(engine, tasks, Invoke.deadline(timeout, unit));
  }

  @Override
  public <T> T invokeAny(Collection<? extends Callable<T>> tasks)
      throws InterruptedException, ExecutionException {
    return engine.invokeAny(tasks);
  }

  @Override
  public <T> T invokeAny(Collection<? extends Callable<T>> tasks, long timeout, TimeUnit unit)
      throws InterruptedException, ExecutionException, TimeoutException {
    return engine.invokeAny(tasks, timeout, unit);
  }

  @Override
  public void shutdown() {
    engine.shutdown();
  }

  @Override
  public List<Runnable> shutdownNow() {
    return engine.shutdownNow();
  }

  @Override
  public boolean isShutdown() {
    return engine.isShutdown();
  }

  @Override
  public boolean isTerminating() {
    return engine.isTerminating();
  }

  @Override
  public boolean isTerminated() {
    return engine.isTerminated();
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
    return engine.awaitTermination(timeout, unit);
  }

  @Override
  public boolean awaitQuiescence(long timeout, TimeUnit unit) {
    Strand me = Strand.here();
    if (me == null) {
      return true;
    }
    try {
      return me.world.scheduler.block(
          me, this::isQuiescent, Wait.deadline(me, timeout, unit), false);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public boolean isQuiescent() {
    return engine.getActiveCount() == 0 && engine.getQueue().isEmpty();
  }

  @Override
  public int getPoolSize() {
    return engine.getPoolSize();
  }

  @Override
  public int getActiveThreadCount() {
    return engine.getActiveCount();
  }

  @Override
  public boolean hasQueuedSubmissions() {
    return !engine.getQueue().isEmpty();
  }
}
