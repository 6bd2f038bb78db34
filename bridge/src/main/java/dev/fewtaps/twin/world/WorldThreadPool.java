package dev.fewtaps.twin.world;

import java.util.ArrayList;
import java.util.Collection;
import java.util.ConcurrentModificationException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
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
 * <p>It follows the rules that the JDK documents for core, maximum, queue and rejection. The JDK's
 * own machinery behind the type stays unused, since it starts threads past {@code Thread.start}.
 */
@ReplacesType("java/util/concurrent/ThreadPoolExecutor")
public class WorldThreadPool extends ThreadPoolExecutor {
  /** How far the pool is from its end. */
  private enum Phase {
    RUNNING,
    SHUTDOWN,
    STOP,
    TERMINATED
  }

  private final WorkQueue queue;
  private final Set<Worker> workers = new LinkedHashSet<>();
  private volatile ThreadFactory factory;
  private volatile Phase phase = Phase.RUNNING;
  private volatile int core;
  private volatile int max;
  private volatile long keepAliveNanos;
  private volatile boolean coreTimesOut;
  private int largest;
  private long completed;

  public WorldThreadPool(
      int core, int max, long keepAlive, TimeUnit unit, BlockingQueue<Runnable> queue) {
    this(core, max, keepAlive, unit, queue, new WorldThreadFactory(), new WorldAbortPolicy());
  }

  public WorldThreadPool(
      int core,
      int max,
      long keepAlive,
      TimeUnit unit,
      BlockingQueue<Runnable> queue,
      ThreadFactory factory) {
    this(core, max, keepAlive, unit, queue, factory, new WorldAbortPolicy());
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
    super(core, max, keepAlive, unit, queue, factory, handler);
    this.queue = new WorkQueue(queue);
    this.core = core;
    this.max = max;
    this.keepAliveNanos = unit.toNanos(keepAlive);
    this.factory = factory;
  }

  /** A thread of the pool with the task that it began with. */
  private final class Worker implements Runnable {
    private Runnable first;
    private int token;
    private Thread thread;
    private boolean busy;

    Worker(Runnable first, int token) {
      this.first = first;
      this.token = token;
    }

    @Override
    public void run() {
      boolean abrupt = true;
      try {
        Runnable task = first;
        first = null;
        while (task != null || (task = next()) != null) {
          int mine = token != 0 ? token : queue.tokenOf(task);
          token = 0;
          Recorder.task(mine);
          perform(task);
          if (Recorder.isOn() && task instanceof Future) {
            Recorder.finished(task, Recorder.hand("end of the task"));
          }
          Recorder.done();
          task = null;
        }
        abrupt = false;
      } finally {
        leave(this, abrupt);
      }
    }

    private void perform(Runnable task) {
      busy = true;
      boolean interrupted = ThreadHooks.interrupted();
      if (phase.compareTo(Phase.STOP) >= 0) {
        Thread.currentThread().interrupt();
      } else if (interrupted && Strand.current() == null) {
        Thread.interrupted();
      }
      try {
        beforeExecute(thread, task);
        try {
          task.run();
        } catch (Throwable e) {
          afterExecute(task, e);
          throw e;
        }
        afterExecute(task, null);
      } finally {
        busy = false;
        synchronized (workers) {
          completed++;
        }
      }
    }
  }

  /** Remembers where a task came from that is about to be put into the queue. */
  void handOn(Runnable task, int token) {
    queue.handOn(task, token);
  }

  private int size() {
    synchronized (workers) {
      return workers.size();
    }
  }

  @Override
  public void execute(Runnable task) {
    if (task == null) {
      throw new NullPointerException();
    }
    boolean running = phase == Phase.RUNNING;
    int token = Recorder.hand("Executor.execute");
    if (running && size() < core && addWorker(task, token)) {
      return;
    }
    if (running && offer(task, token)) {
      if (size() == 0) {
        addWorker(null);
      }
      return;
    }
    if (!running || size() >= max || !addWorker(task, token)) {
      getRejectedExecutionHandler().rejectedExecution(task, this);
    }
  }

  private boolean offer(Runnable task, int token) {
    queue.handOn(task, token); // First: a queue of rendezvous hands the task over within the offer.
    boolean taken = queue.offer(task);
    if (!taken) {
      queue.tokenOf(task);
    }
    return taken;
  }

  private boolean addWorker(Runnable first) {
    return addWorker(first, 0);
  }

  private boolean addWorker(Runnable first, int token) {
    Worker worker = new Worker(first, token);
    Thread thread = WorldThreadFactory.gated(factory).newThread(worker);
    if (thread == null) {
      return false;
    }
    worker.thread = thread;
    synchronized (workers) {
      workers.add(worker);
      largest = Math.max(largest, workers.size());
    }
    boolean started = false;
    try {
      thread.start();
      started = true;
    } finally {
      if (!started) {
        synchronized (workers) {
          workers.remove(worker);
        }
      }
    }
    return true;
  }

  /** The next task for a worker, or null when the worker has to leave. */
  private Runnable next() {
    boolean timedOut = false;
    for (; ; ) {
      if (phase.compareTo(Phase.STOP) >= 0 || (phase == Phase.SHUTDOWN && queue.isEmpty())) {
        return null;
      }
      int size = size();
      boolean timed = coreTimesOut || size > core;
      if ((size > max || (timed && timedOut)) && (size > 1 || queue.isEmpty())) {
        return null;
      }
      try {
        // The last worker before a delayed task has timed out and stays all the same: it must not
        // ask
        // again and again, because no virtual time goes by while it does.
        boolean patient = !timed || timedOut;
        Runnable task = patient ? queue.take() : queue.poll(keepAliveNanos, TimeUnit.NANOSECONDS);
        if (task != null) {
          return task;
        }
        timedOut = true;
      } catch (InterruptedException e) {
        timedOut = false;
      }
    }
  }

  private void leave(Worker worker, boolean abrupt) {
    synchronized (workers) {
      workers.remove(worker);
    }
    tryTerminate();
    if (phase.compareTo(Phase.STOP) < 0) {
      int least = coreTimesOut ? 0 : core;
      if (least == 0 && !queue.isEmpty()) {
        least = 1;
      }
      if ((abrupt && phase == Phase.RUNNING) || size() < least) {
        if (phase == Phase.RUNNING || !queue.isEmpty()) {
          addWorker(null);
        }
      }
    }
  }

  private void tryTerminate() {
    synchronized (workers) {
      boolean over = phase == Phase.STOP || (phase == Phase.SHUTDOWN && queue.isEmpty());
      if (!over) {
        return;
      }
      if (!workers.isEmpty()) {
        interrupt(true, true);
        return;
      }
      phase = Phase.TERMINATED;
    }
    terminated();
  }

  private void interrupt(boolean idleOnly, boolean oneOnly) {
    List<Worker> chosen;
    synchronized (workers) {
      chosen = new ArrayList<>(workers);
    }
    for (Worker worker : chosen) {
      if (!idleOnly || !worker.busy) {
        ThreadHooks.interrupt(worker.thread);
        if (oneOnly) {
          return;
        }
      }
    }
  }

  @Override
  public void shutdown() {
    if (phase == Phase.RUNNING) {
      phase = Phase.SHUTDOWN;
    }
    interrupt(true, false);
    tryTerminate();
  }

  @Override
  public List<Runnable> shutdownNow() {
    List<Runnable> left = new ArrayList<>();
    if (phase.compareTo(Phase.STOP) < 0) {
      phase = Phase.STOP;
    }
    interrupt(false, false);
    for (Runnable task = queue.poll(); task != null; task = queue.poll()) {
      left.add(task);
    }
    for (Runnable task : queue.toArray(new Runnable[0])) {
      if (queue.remove(task)) {
        left.add(task);
      }
    }
    tryTerminate();
    return left;
  }

  @Override
  public boolean isShutdown() {
    return phase != Phase.RUNNING;
  }

  @Override
  public boolean isTerminating() {
    return phase == Phase.SHUTDOWN || phase == Phase.STOP;
  }

  @Override
  public boolean isTerminated() {
    return phase == Phase.TERMINATED;
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
    Strand me = Strand.here();
    if (me != null) {
      return Wait.until(me, this::isTerminated, Wait.deadline(me, timeout, unit));
    }
    long end = System.nanoTime() + unit.toNanos(timeout);
    while (!isTerminated() && System.nanoTime() < end) {
      Thread.sleep(1);
    }
    return isTerminated();
  }

  @Override
  public BlockingQueue<Runnable> getQueue() {
    return queue.tasks();
  }

  @Override
  public boolean remove(Runnable task) {
    boolean removed = queue.remove(task);
    tryTerminate();
    return removed;
  }

  @Override
  public void purge() {
    try {
      queue.tasks().removeIf(task -> task instanceof Future && ((Future<?>) task).isCancelled());
    } catch (ConcurrentModificationException | UnsupportedOperationException e) {
      // Such a queue of the app's own keeps them a little longer.
    }
    tryTerminate();
  }

  @Override
  public ThreadFactory getThreadFactory() {
    return factory;
  }

  @Override
  public void setThreadFactory(ThreadFactory to) {
    super.setThreadFactory(to);
    factory = to;
  }

  @Override
  public int getCorePoolSize() {
    return core;
  }

  @Override
  public void setCorePoolSize(int size) {
    if (size < 0 || max < size) {
      throw new IllegalArgumentException();
    }
    int more = size - core;
    core = size;
    if (size() > size) {
      interrupt(true, false);
    }
    for (int i = Math.min(more, queue.size()); i > 0 && size() < core; i--) {
      addWorker(null);
    }
  }

  @Override
  public int getMaximumPoolSize() {
    return max;
  }

  @Override
  public void setMaximumPoolSize(int size) {
    if (size <= 0 || size < core) {
      throw new IllegalArgumentException();
    }
    max = size;
    if (size() > size) {
      interrupt(true, false);
    }
  }

  @Override
  public long getKeepAliveTime(TimeUnit unit) {
    return unit.convert(keepAliveNanos, TimeUnit.NANOSECONDS);
  }

  @Override
  public void setKeepAliveTime(long time, TimeUnit unit) {
    if (time < 0 || (time == 0 && coreTimesOut)) {
      throw new IllegalArgumentException();
    }
    keepAliveNanos = unit.toNanos(time);
    interrupt(true, false);
  }

  @Override
  public boolean allowsCoreThreadTimeOut() {
    return coreTimesOut;
  }

  @Override
  public void allowCoreThreadTimeOut(boolean value) {
    if (value && keepAliveNanos <= 0) {
      throw new IllegalArgumentException("Core threads must have nonzero keep alive times");
    }
    if (value != coreTimesOut) {
      coreTimesOut = value;
      if (value) {
        interrupt(true, false);
      }
    }
  }

  @Override
  public boolean prestartCoreThread() {
    boolean allowed = phase == Phase.RUNNING || (phase == Phase.SHUTDOWN && !queue.isEmpty());
    return allowed && size() < core && addWorker(null);
  }

  @Override
  public int prestartAllCoreThreads() {
    int count = 0;
    while (prestartCoreThread()) {
      count++;
    }
    return count;
  }

  @Override
  public int getPoolSize() {
    return phase == Phase.TERMINATED ? 0 : size();
  }

  @Override
  public int getActiveCount() {
    int count = 0;
    synchronized (workers) {
      for (Worker worker : workers) {
        count += worker.busy || worker.first != null ? 1 : 0;
      }
    }
    return count;
  }

  @Override
  public int getLargestPoolSize() {
    return largest;
  }

  @Override
  public long getTaskCount() {
    return getCompletedTaskCount() + getActiveCount() + queue.size();
  }

  @Override
  public long getCompletedTaskCount() {
    synchronized (workers) {
      return completed;
    }
  }

  @Override
  public String toString() {
    String name = getClass().getName();
    return (name.startsWith("dev.fewtaps.") ? ThreadPoolExecutor.class.getName() : name)
        + "@"
        + Integer.toHexString(Hooks.identityHash(this))
        + "["
        + (phase == Phase.RUNNING ? "Running" : isTerminated() ? "Terminated" : "Shutting down")
        + ", pool size = "
        + getPoolSize()
        + ", active threads = "
        + getActiveCount()
        + ", queued tasks = "
        + queue.size()
        + ", completed tasks = "
        + getCompletedTaskCount()
        + "]";
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
