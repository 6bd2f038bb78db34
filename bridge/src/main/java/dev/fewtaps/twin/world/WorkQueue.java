package dev.fewtaps.twin.world;

import java.util.AbstractQueue;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.TimeUnit;

/**
 * The queue of a pool as its workers see it: they wait in virtual time, and each task becomes due
 * only after a delay drawn from the seed.
 */
final class WorkQueue extends AbstractQueue<Runnable> implements BlockingQueue<Runnable> {
  private final BlockingQueue<Runnable> tasks;
  private final Map<Runnable, Long> notBefore = new IdentityHashMap<>();

  /** Where tasks came from, for the recording: a task that is queued twice has two tokens. */
  private final Map<Runnable, Deque<Integer>> tokens = new IdentityHashMap<>();

  WorkQueue(BlockingQueue<Runnable> tasks) {
    if (tasks == null) {
      throw new NullPointerException();
    }
    this.tasks = tasks;
  }

  BlockingQueue<Runnable> tasks() {
    return tasks;
  }

  @Override
  public boolean offer(Runnable task) {
    Strand me = Strand.here();
    if (me != null && !(task instanceof Delayed)) {
      setDue(task, me.world.now() + me.world.startDelay());
    }
    boolean taken = tasks.offer(task);
    if (!taken) {
      setDue(task, null);
    }
    return taken;
  }

  /** Remembers the token of a task that is about to be queued. */
  void handOn(Runnable task, int token) {
    if (token != 0) {
      synchronized (tokens) {
        tokens.computeIfAbsent(task, key -> new ArrayDeque<>()).add(token);
      }
    }
  }

  /**
   * Forgets the token of a task that is not queued any more, and returns it; 0 if there is none.
   */
  int tokenOf(Runnable task) {
    synchronized (tokens) {
      Deque<Integer> known = tokens.isEmpty() ? null : tokens.get(task);
      if (known == null) {
        return 0;
      }
      int token = known.remove();
      if (known.isEmpty()) {
        tokens.remove(task);
      }
      return token;
    }
  }

  private void setDue(Runnable task, Long when) {
    synchronized (notBefore) {
      if (when == null) {
        notBefore.remove(task);
      } else {
        notBefore.put(task, when);
      }
    }
  }

  private long due(Strand me, Runnable task) {
    synchronized (notBefore) {
      Long when = notBefore.get(task);
      if (when != null) {
        return when;
      }
    }
    if (task instanceof WorldScheduledPool.Task) {
      return ((WorldScheduledPool.Task<?>) task).due();
    }
    if (task instanceof Delayed) {
      return Wait.deadline(
          me, ((Delayed) task).getDelay(TimeUnit.NANOSECONDS), TimeUnit.NANOSECONDS);
    }
    return 0;
  }

  @Override
  public Runnable take() throws InterruptedException {
    Strand me = Strand.here();
    if (me == null) {
      return tasks.take();
    }
    return take(me, Strand.NEVER);
  }

  @Override
  public Runnable poll(long timeout, TimeUnit unit) throws InterruptedException {
    Strand me = Strand.here();
    if (me == null) {
      return tasks.poll(timeout, unit);
    }
    return take(me, Wait.deadline(me, timeout, unit));
  }

  private Runnable take(Strand me, long deadline) throws InterruptedException {
    if (tasks instanceof WorldSynchronousQueue) {
      Runnable task = ((WorldSynchronousQueue<Runnable>) tasks).take(me, deadline);
      if (task != null) {
        long when = due(me, task);
        setDue(task, null);
        me.world.scheduler.rest(me, Math.max(0, when - me.world.now()));
      }
      return task;
    }
    for (; ; ) {
      long now = me.world.now();
      Runnable head = tasks.peek();
      long when = head == null ? Strand.NEVER : due(me, head);
      if (when <= now) {
        Runnable task = tasks.poll();
        if (task != null) {
          setDue(task, null);
          return task;
        }
        when = now + 1;
      }
      if (now >= deadline) {
        return null;
      }
      Wait.until(me, () -> tasks.peek() != head, Math.min(when, deadline));
    }
  }

  @Override
  public Runnable poll() {
    Runnable task = tasks.poll();
    if (task != null) {
      setDue(task, null);
    }
    return task;
  }

  @Override
  public Runnable peek() {
    return tasks.peek();
  }

  @Override
  public boolean remove(Object task) {
    boolean removed = tasks.remove(task);
    if (removed && task instanceof Runnable) {
      setDue((Runnable) task, null);
      tokenOf((Runnable) task);
    }
    return removed;
  }

  @Override
  public void put(Runnable task) throws InterruptedException {
    tasks.put(task);
  }

  @Override
  public boolean offer(Runnable task, long timeout, TimeUnit unit) throws InterruptedException {
    return tasks.offer(task, timeout, unit);
  }

  @Override
  public int remainingCapacity() {
    return tasks.remainingCapacity();
  }

  @Override
  public int drainTo(Collection<? super Runnable> to) {
    return tasks.drainTo(to);
  }

  @Override
  public int drainTo(Collection<? super Runnable> to, int max) {
    return tasks.drainTo(to, max);
  }

  @Override
  public Iterator<Runnable> iterator() {
    return tasks.iterator();
  }

  @Override
  public int size() {
    return tasks.size();
  }

  @Override
  public boolean isEmpty() {
    return tasks.isEmpty();
  }
}
