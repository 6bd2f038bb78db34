package dev.fewtaps.twin.world;

import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock.WriteLock;

/** A condition of a lock, awaited in virtual time. */
final class WorldCondition implements Condition {
  private static final class Node {
    volatile boolean signalled;
  }

  private final Lock lock;
  private final List<Node> waiting = new ArrayList<>();

  WorldCondition(Lock lock) {
    this.lock = lock;
  }

  private int holds() {
    return lock instanceof ReentrantLock
        ? ((ReentrantLock) lock).getHoldCount()
        : ((WriteLock) lock).getHoldCount();
  }

  private boolean await(long deadline, boolean interruptible) throws InterruptedException {
    Strand me = Strand.here();
    int holds = holds();
    if (holds == 0) {
      throw new IllegalMonitorStateException();
    }
    Node node = new Node();
    synchronized (waiting) {
      waiting.add(node);
    }
    for (int i = 0; i < holds; i++) {
      lock.unlock();
    }
    try {
      if (me == null) {
        while (!node.signalled) {
          Thread.sleep(1);
        }
      } else {
        Wait.block(me, () -> node.signalled, deadline, interruptible);
      }
      return node.signalled;
    } finally {
      synchronized (waiting) {
        waiting.remove(node);
      }
      for (int i = 0; i < holds; i++) {
        LockHooks.lock(lock);
      }
    }
  }

  private static long after(long timeout, TimeUnit unit) {
    Strand me = Strand.here();
    return me == null ? Strand.NEVER : Wait.deadline(me, timeout, unit);
  }

  @Override
  public void await() throws InterruptedException {
    await(Strand.NEVER, true);
  }

  @Override
  public void awaitUninterruptibly() {
    try {
      await(Strand.NEVER, false);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public long awaitNanos(long nanos) throws InterruptedException {
    long deadline = after(nanos, TimeUnit.NANOSECONDS);
    await(deadline, true);
    Strand me = Strand.here();
    return me == null ? 1 : (deadline - me.world.now()) * 1_000_000L;
  }

  @Override
  public boolean await(long timeout, TimeUnit unit) throws InterruptedException {
    return await(after(timeout, unit), true);
  }

  @Override
  public boolean awaitUntil(Date wall) throws InterruptedException {
    return await(wall.getTime() - World.epochMillis(), true);
  }

  @Override
  public void signal() {
    check();
    synchronized (waiting) {
      if (!waiting.isEmpty()) {
        waiting.remove(0).signalled = true;
      }
    }
  }

  @Override
  public void signalAll() {
    check();
    synchronized (waiting) {
      waiting.forEach(node -> node.signalled = true);
      waiting.clear();
    }
  }

  private void check() {
    if (holds() == 0) {
      throw new IllegalMonitorStateException();
    }
  }
}
