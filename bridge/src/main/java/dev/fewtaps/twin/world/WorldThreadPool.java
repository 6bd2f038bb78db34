package dev.fewtaps.twin.world;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionHandler;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A thread pool whose workers are threads of the world and wait in virtual time.
 *
 * <p>The rules of core, maximum, queue and rejection are the JDK's own: only the queue that it sees
 * and the threads that it starts are ours.
 */
@ReplacesType("java/util/concurrent/ThreadPoolExecutor")
public class WorldThreadPool extends ThreadPoolExecutor {
  private ThreadFactory factory;

  public WorldThreadPool(
      int core, int max, long keepAlive, TimeUnit unit, BlockingQueue<Runnable> queue) {
    this(core, max, keepAlive, unit, queue, new WorldThreadFactory(), new AbortPolicy());
  }

  public WorldThreadPool(
      int core,
      int max,
      long keepAlive,
      TimeUnit unit,
      BlockingQueue<Runnable> queue,
      ThreadFactory factory) {
    this(core, max, keepAlive, unit, queue, factory, new AbortPolicy());
  }

  public WorldThreadPool(
      int core,
      int max,
      long keepAlive,
      TimeUnit unit,
      BlockingQueue<Runnable> queue,
      RejectedExecutionHandler handler) {
    this(core, max, keepAlive, unit, queue, new WorldThreadFactory(), handler);
  }

  public WorldThreadPool(
      int core,
      int max,
      long keepAlive,
      TimeUnit unit,
      BlockingQueue<Runnable> queue,
      ThreadFactory factory,
      RejectedExecutionHandler handler) {
    super(
        core,
        max,
        keepAlive,
        unit,
        new WorkQueue(queue),
        WorldThreadFactory.gated(factory),
        handler);
    this.factory = factory;
  }

  @Override
  public BlockingQueue<Runnable> getQueue() {
    return ((WorkQueue) super.getQueue()).tasks();
  }

  @Override
  public ThreadFactory getThreadFactory() {
    // The JDK asks for it when it starts a worker; the app gets the same, which makes the same threads.
    return factory == null ? super.getThreadFactory() : WorldThreadFactory.gated(factory);
  }

  @Override
  public void setThreadFactory(ThreadFactory to) {
    super.setThreadFactory(WorldThreadFactory.gated(to));
    factory = to;
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
    Strand me = Strand.here();
    return me == null
        ? super.awaitTermination(timeout, unit)
        : Wait.until(me, this::isTerminated, Wait.deadline(me, timeout, unit));
  }

  @Override
  public <T> List<Future<T>> invokeAll(Collection<? extends Callable<T>> tasks)
      throws InterruptedException {
    return Invoke.all(this, tasks, Strand.NEVER);
  }

  @Override
  public <T> List<Future<T>> invokeAll(
      Collection<? extends Callable<T>> tasks, long timeout, TimeUnit unit)
      throws InterruptedException {
    return Invoke.all(this, tasks, Invoke.deadline(timeout, unit));
  }

  @Override
  public <T> T invokeAny(Collection<? extends Callable<T>> tasks)
      throws InterruptedException, ExecutionException {
    try {
      return Invoke.any(this, tasks, Strand.NEVER);
    } catch (TimeoutException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public <T> T invokeAny(Collection<? extends Callable<T>> tasks, long timeout, TimeUnit unit)
      throws InterruptedException, ExecutionException, TimeoutException {
    return Invoke.any(this, tasks, Invoke.deadline(timeout, unit));
  }
}
