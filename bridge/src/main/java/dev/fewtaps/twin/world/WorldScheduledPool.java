package dev.fewtaps.twin.world;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.concurrent.RejectedExecutionHandler;
import java.util.concurrent.RunnableScheduledFuture;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

/** A scheduled pool on the virtual clock; a pool of ours does the work behind the JDK's type. */
@ReplacesType("java/util/concurrent/ScheduledThreadPoolExecutor")
public class WorldScheduledPool extends ScheduledThreadPoolExecutor {
  private final AtomicLong sequence = new AtomicLong();
  private final Engine engine;
  private boolean started;

  public WorldScheduledPool(int core) {
    this(core, new WorldThreadFactory(), new WorldAbortPolicy());
  }

  public WorldScheduledPool(int core, ThreadFactory factory) {
    this(core, factory, new WorldAbortPolicy());
  }

  public WorldScheduledPool(int core, RejectedExecutionHandler handler) {
    this(core, new WorldThreadFactory(), handler);
  }

  public WorldScheduledPool(int core, ThreadFactory factory, RejectedExecutionHandler handler) {
    super(core, factory, handler);
    engine = new Engine(Math.max(1, core), factory);
    started = true;
  }

  /** The pool that works. */
  private final class Engine extends WorldThreadPool {
    Engine(int core, ThreadFactory factory) {
      super(
          core,
          Integer.MAX_VALUE,
          10,
          TimeUnit.MILLISECONDS,
          new PriorityBlockingQueue<>(11, Comparator.comparing(task -> (Delayed) task)),
          factory);
    }

    @Override
    protected void beforeExecute(Thread thread, Runnable task) {
      WorldScheduledPool.this.beforeExecute(thread, task);
    }

    @Override
    protected void afterExecute(Runnable task, Throwable error) {
      WorldScheduledPool.this.afterExecute(task, error);
    }

    @Override
    protected void terminated() {
      WorldScheduledPool.this.terminated();
    }
  }

  /** A task with its time. */
  final class Task<V> extends FutureTask<V> implements RunnableScheduledFuture<V> {
    private final long period;
    private final long number = sequence.getAndIncrement();
    private long time;
    private RunnableScheduledFuture<V> outer = this;
    private int token;

    Task(Callable<V> body, long time, long period) {
      super(body);
      this.time = time;
      this.period = period;
    }

    long due() {
      return time;
    }

    @Override
    public long getDelay(TimeUnit unit) {
      return unit.convert(time - now(), TimeUnit.MILLISECONDS);
    }

    @Override
    public int compareTo(Delayed other) {
      if (other instanceof Task) {
        Task<?> task = (Task<?>) other;
        int byTime = Long.compare(time, task.time);
        return byTime != 0 ? byTime : Long.compare(number, task.number);
      }
      return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
    }

    @Override
    public boolean isPeriodic() {
      return period != 0;
    }

    @Override
    public boolean cancel(boolean mayInterrupt) {
      boolean cancelled = super.cancel(mayInterrupt);
      if (cancelled && getRemoveOnCancelPolicy()) {
        engine.getQueue().remove(outer);
      }
      return cancelled;
    }

    @Override
    public void run() {
      if (engine.isShutdown() && !survives(this)) {
        cancel(false);
      } else if (!isPeriodic()) {
        super.run();
      } else if (runAndReset()) {
        time = period > 0 ? time + period : now() - period;
        if (!engine.isShutdown() || survives(this)) {
          engine.handOn(outer, token);
          engine.getQueue().add(outer);
          engine.prestartCoreThread();
        }
      }
    }
  }

  private static long now() {
    Strand me = Strand.current();
    World world = me != null ? me.world : World.current();
    return world != null ? world.now() : System.nanoTime() / 1_000_000;
  }

  private boolean survives(RunnableScheduledFuture<?> task) {
    return task.isPeriodic()
        ? getContinueExistingPeriodicTasksAfterShutdownPolicy()
        : getExecuteExistingDelayedTasksAfterShutdownPolicy()
            || task.getDelay(TimeUnit.NANOSECONDS) <= 0;
  }

  /** When work due after that delay may begin; work due at once begins when the seed says so. */
  private static long trigger(long delay, TimeUnit unit) {
    Strand me = Strand.here();
    if (me == null) {
      return now() + unit.toMillis(Math.max(0, delay));
    }
    return delay <= 0 ? me.world.now() + me.world.startDelay() : Wait.deadline(me, delay, unit);
  }

  private <V> Task<V> enqueue(Task<V> task) {
    if (engine.isShutdown()) {
      getRejectedExecutionHandler().rejectedExecution(task, this);
      return task;
    }
    task.token = Recorder.hand("ScheduledExecutorService.schedule");
    engine.handOn(task.outer, task.token);
    engine.getQueue().add(task.outer);
    engine.prestartCoreThread();
    return task;
  }

  private <V> ScheduledFuture<V> plan(Task<V> task, RunnableScheduledFuture<V> decorated) {
    task.outer = decorated;
    enqueue(task);
    return decorated;
  }

  @Override
  public ScheduledFuture<?> schedule(Runnable body, long delay, TimeUnit unit) {
    requireBoth(body, unit);
    Task<Void> task = new Task<>(Executors.callable(body, null), trigger(delay, unit), 0);
    return plan(task, decorateTask(body, task));
  }

  @Override
  public <V> ScheduledFuture<V> schedule(Callable<V> body, long delay, TimeUnit unit) {
    requireBoth(body, unit);
    Task<V> task = new Task<>(body, trigger(delay, unit), 0);
    return plan(task, decorateTask(body, task));
  }

  @Override
  public ScheduledFuture<?> scheduleAtFixedRate(
      Runnable body, long initial, long period, TimeUnit unit) {
    return periodic(body, initial, period, unit, 1);
  }

  @Override
  public ScheduledFuture<?> scheduleWithFixedDelay(
      Runnable body, long initial, long delay, TimeUnit unit) {
    return periodic(body, initial, delay, unit, -1);
  }

  private ScheduledFuture<?> periodic(
      Runnable body, long initial, long period, TimeUnit unit, int sign) {
    requireBoth(body, unit);
    if (period <= 0) {
      throw new IllegalArgumentException();
    }
    long millis = sign * Math.max(1, unit.toMillis(period));
    Task<Void> task = new Task<>(Executors.callable(body, null), trigger(initial, unit), millis);
    return plan(task, decorateTask(body, task));
  }

  private static void requireBoth(Object body, TimeUnit unit) {
    if (body == null || unit == null) {
      throw new NullPointerException();
    }
  }

  @Override
  public void execute(Runnable body) {
    schedule(body, 0, TimeUnit.NANOSECONDS);
  }

  @Override
  public Future<?> submit(Runnable body) {
    return schedule(body, 0, TimeUnit.NANOSECONDS);
  }

  @Override
  public <T> Future<T> submit(Runnable body, T result) {
    return schedule(Executors.callable(body, result), 0, TimeUnit.NANOSECONDS);
  }

  @Override
  public <T> Future<T> submit(Callable<T> body) {
    return schedule(body, 0, TimeUnit.NANOSECONDS);
  }

  @Override
  public void shutdown() {
    for (Object element : engine.getQueue().toArray()) {
      RunnableScheduledFuture<?> task = (RunnableScheduledFuture<?>) element;
      if (!survives(task) || task.isCancelled()) {
        engine.getQueue().remove(task);
        task.cancel(false);
      }
    }
    engine.shutdown();
  }

  @Override
  public List<Runnable> shutdownNow() {
    return engine.shutdownNow();
  }

  @Override
  public boolean isShutdown() {
    return started && engine.isShutdown();
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
  public BlockingQueue<Runnable> getQueue() {
    return engine.getQueue();
  }

  @Override
  public boolean remove(Runnable task) {
    return engine.remove(task);
  }

  @Override
  public void purge() {
    engine.purge();
  }

  @Override
  public void setThreadFactory(ThreadFactory factory) {
    engine.setThreadFactory(factory);
  }

  @Override
  public ThreadFactory getThreadFactory() {
    return engine.getThreadFactory();
  }

  @Override
  public void setCorePoolSize(int size) {
    super.setCorePoolSize(size);
    engine.setCorePoolSize(Math.max(1, size));
  }

  @Override
  public void setKeepAliveTime(long time, TimeUnit unit) {
    engine.setKeepAliveTime(time, unit);
  }

  @Override
  public long getKeepAliveTime(TimeUnit unit) {
    return engine.getKeepAliveTime(unit);
  }

  @Override
  public void allowCoreThreadTimeOut(boolean value) {
    engine.allowCoreThreadTimeOut(value);
  }

  @Override
  public boolean allowsCoreThreadTimeOut() {
    return engine.allowsCoreThreadTimeOut();
  }

  @Override
  public boolean prestartCoreThread() {
    return engine.prestartCoreThread();
  }

  @Override
  public int prestartAllCoreThreads() {
    return engine.prestartAllCoreThreads();
  }

  @Override
  public int getPoolSize() {
    return engine.getPoolSize();
  }

  @Override
  public int getActiveCount() {
    return engine.getActiveCount();
  }

  @Override
  public int getLargestPoolSize() {
    return engine.getLargestPoolSize();
  }

  @Override
  public long getTaskCount() {
    return engine.getTaskCount();
  }

  @Override
  public long getCompletedTaskCount() {
    return engine.getCompletedTaskCount();
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

  @Override
  public String toString() {
    return engine.toString().replaceFirst("ThreadPoolExecutor", "ScheduledThreadPoolExecutor");
  }
}
