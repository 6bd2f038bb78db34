package dev.fewtaps.twin.world;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Phaser;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.AbstractQueuedSynchronizer;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.concurrent.locks.StampedLock;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/** Locks and other meeting points, awaited in virtual time. */
public final class LockHooks {
  private static final String LOCK = "java/util/concurrent/locks/Lock";
  private static final String LATCH = "java/util/concurrent/CountDownLatch";
  private static final String SEMAPHORE = "java/util/concurrent/Semaphore";
  private static final String PHASER = "java/util/concurrent/Phaser";
  private static final String STAMPED = "java/util/concurrent/locks/StampedLock";
  private static final String SYNCHRONIZER =
      "java/util/concurrent/locks/AbstractQueuedSynchronizer";

  private LockHooks() {}

  // ---- Lock

  private static BooleanSupplier free(Lock lock) {
    return lock instanceof ReentrantLock ? () -> !((ReentrantLock) lock).isLocked() : null;
  }

  @Replaces(owner = LOCK, name = "lock", desc = "()V", subclasses = true)
  public static void lock(Lock lock) {
    Strand me = Strand.here();
    if (me == null) {
      lock.lock();
      return;
    }
    if (Guard.enter(lock, "lock")) {
      try {
        lock.lock();
      } finally {
        Guard.leave();
      }
      return;
    }
    BooleanSupplier free = free(lock);
    while (!lock.tryLock()) {
      if (free != null) {
        Wait.stubbornly(me, free);
      } else {
        Wait.retryStubbornly(me, lock::tryLock);
        return;
      }
    }
  }

  @Replaces(owner = LOCK, name = "lockInterruptibly", desc = "()V", subclasses = true)
  public static void lockInterruptibly(Lock lock) throws InterruptedException {
    Strand me = Strand.here();
    if (me == null) {
      lock.lockInterruptibly();
      return;
    }
    if (Guard.enter(lock, "lockInterruptibly")) {
      try {
        lock.lockInterruptibly();
      } finally {
        Guard.leave();
      }
      return;
    }
    tryLock(me, lock, Strand.NEVER);
  }

  @Replaces(
      owner = LOCK,
      name = "tryLock",
      desc = "(JLjava/util/concurrent/TimeUnit;)Z",
      subclasses = true)
  public static boolean tryLock(Lock lock, long timeout, TimeUnit unit)
      throws InterruptedException {
    Strand me = Strand.here();
    if (me == null) {
      return lock.tryLock(timeout, unit);
    }
    if (Guard.enter(lock, "tryLock", long.class, TimeUnit.class)) {
      try {
        return lock.tryLock(timeout, unit);
      } finally {
        Guard.leave();
      }
    }
    return tryLock(me, lock, Wait.deadline(me, timeout, unit));
  }

  private static boolean tryLock(Strand me, Lock lock, long deadline) throws InterruptedException {
    if (me.takeInterrupt()) {
      throw new InterruptedException();
    }
    BooleanSupplier free = free(lock);
    while (!lock.tryLock()) {
      if (free == null) {
        return Wait.retry(me, lock::tryLock, deadline);
      }
      if (!Wait.until(me, free, deadline)) {
        return false;
      }
    }
    return true;
  }

  @Replaces(
      owner = LOCK,
      name = "newCondition",
      desc = "()Ljava/util/concurrent/locks/Condition;",
      subclasses = true)
  public static Condition newCondition(Lock lock) {
    boolean ours =
        lock instanceof ReentrantLock || lock instanceof ReentrantReadWriteLock.WriteLock;
    return ours && Strand.here() != null ? new WorldCondition(lock) : lock.newCondition();
  }

  // ---- StampedLock

  private static long stamp(Strand me, LongSupplier attempt) {
    long[] stamp = new long[1];
    Wait.retryStubbornly(me, () -> (stamp[0] = attempt.getAsLong()) != 0);
    return stamp[0];
  }

  @Replaces(owner = STAMPED, name = "readLock", desc = "()J")
  public static long readLock(StampedLock lock) {
    Strand me = Strand.here();
    return me == null ? lock.readLock() : stamp(me, lock::tryReadLock);
  }

  @Replaces(owner = STAMPED, name = "writeLock", desc = "()J")
  public static long writeLock(StampedLock lock) {
    Strand me = Strand.here();
    return me == null ? lock.writeLock() : stamp(me, lock::tryWriteLock);
  }

  // ---- CountDownLatch

  @Replaces(owner = LATCH, name = "await", desc = "()V", subclasses = true)
  public static void await(CountDownLatch latch) throws InterruptedException {
    Strand me = Strand.here();
    if (me == null) {
      latch.await();
    } else {
      Wait.until(me, () -> latch.getCount() == 0);
    }
  }

  @Replaces(
      owner = LATCH,
      name = "await",
      desc = "(JLjava/util/concurrent/TimeUnit;)Z",
      subclasses = true)
  public static boolean await(CountDownLatch latch, long timeout, TimeUnit unit)
      throws InterruptedException {
    Strand me = Strand.here();
    return me == null
        ? latch.await(timeout, unit)
        : Wait.until(me, () -> latch.getCount() == 0, Wait.deadline(me, timeout, unit));
  }

  // ---- Semaphore

  private static boolean acquire(Strand me, Semaphore semaphore, int count, long deadline)
      throws InterruptedException {
    if (me.takeInterrupt()) {
      throw new InterruptedException();
    }
    while (!semaphore.tryAcquire(count)) {
      if (!Wait.until(me, () -> semaphore.availablePermits() >= count, deadline)) {
        return false;
      }
    }
    return true;
  }

  @Replaces(owner = SEMAPHORE, name = "acquire", desc = "()V", subclasses = true)
  public static void acquire(Semaphore semaphore) throws InterruptedException {
    acquire(semaphore, 1);
  }

  @Replaces(owner = SEMAPHORE, name = "acquire", desc = "(I)V", subclasses = true)
  public static void acquire(Semaphore semaphore, int count) throws InterruptedException {
    Strand me = Strand.here();
    if (me == null) {
      semaphore.acquire(count);
    } else {
      acquire(me, semaphore, count, Strand.NEVER);
    }
  }

  @Replaces(owner = SEMAPHORE, name = "acquireUninterruptibly", desc = "()V", subclasses = true)
  public static void acquireStubbornly(Semaphore semaphore) {
    acquireStubbornly(semaphore, 1);
  }

  @Replaces(owner = SEMAPHORE, name = "acquireUninterruptibly", desc = "(I)V", subclasses = true)
  public static void acquireStubbornly(Semaphore semaphore, int count) {
    Strand me = Strand.here();
    if (me == null) {
      semaphore.acquireUninterruptibly(count);
      return;
    }
    while (!semaphore.tryAcquire(count)) {
      Wait.stubbornly(me, () -> semaphore.availablePermits() >= count);
    }
  }

  @Replaces(
      owner = SEMAPHORE,
      name = "tryAcquire",
      desc = "(JLjava/util/concurrent/TimeUnit;)Z",
      subclasses = true)
  public static boolean tryAcquire(Semaphore semaphore, long timeout, TimeUnit unit)
      throws InterruptedException {
    return tryAcquire(semaphore, 1, timeout, unit);
  }

  @Replaces(
      owner = SEMAPHORE,
      name = "tryAcquire",
      desc = "(IJLjava/util/concurrent/TimeUnit;)Z",
      subclasses = true)
  public static boolean tryAcquire(Semaphore semaphore, int count, long timeout, TimeUnit unit)
      throws InterruptedException {
    Strand me = Strand.here();
    return me == null
        ? semaphore.tryAcquire(count, timeout, unit)
        : acquire(me, semaphore, count, Wait.deadline(me, timeout, unit));
  }

  // ---- Phaser

  @Replaces(owner = PHASER, name = "awaitAdvance", desc = "(I)I", subclasses = true)
  public static int awaitAdvance(Phaser phaser, int phase) {
    Strand me = Strand.here();
    if (me == null || phase < 0) {
      return phaser.awaitAdvance(phase);
    }
    Wait.stubbornly(me, () -> phaser.getPhase() != phase);
    return phaser.getPhase();
  }

  @Replaces(owner = PHASER, name = "awaitAdvanceInterruptibly", desc = "(I)I", subclasses = true)
  public static int awaitAdvanceInterruptibly(Phaser phaser, int phase)
      throws InterruptedException {
    Strand me = Strand.here();
    if (me == null || phase < 0) {
      return phaser.awaitAdvanceInterruptibly(phase);
    }
    Wait.until(me, () -> phaser.getPhase() != phase);
    return phaser.getPhase();
  }

  @Replaces(
      owner = PHASER,
      name = "awaitAdvanceInterruptibly",
      desc = "(IJLjava/util/concurrent/TimeUnit;)I",
      subclasses = true)
  public static int awaitAdvanceInterruptibly(Phaser phaser, int phase, long timeout, TimeUnit unit)
      throws InterruptedException, TimeoutException {
    Strand me = Strand.here();
    if (me == null || phase < 0) {
      return phaser.awaitAdvanceInterruptibly(phase, timeout, unit);
    }
    if (!Wait.until(me, () -> phaser.getPhase() != phase, Wait.deadline(me, timeout, unit))) {
      throw new TimeoutException();
    }
    return phaser.getPhase();
  }

  @Replaces(owner = PHASER, name = "arriveAndAwaitAdvance", desc = "()I", subclasses = true)
  public static int arriveAndAwaitAdvance(Phaser phaser) {
    if (Strand.here() == null) {
      return phaser.arriveAndAwaitAdvance();
    }
    int phase = phaser.arrive();
    return phase < 0 ? phase : awaitAdvance(phaser, phase);
  }

  // ---- synchronizers of the app's own making

  /** An attempt by the protected method that the app's class brings. */
  private static BooleanSupplier attempt(
      AbstractQueuedSynchronizer synchronizer, String name, int argument) {
    Method method = find(synchronizer.getClass(), name);
    if (method == null) {
      return null;
    }
    return () -> {
      try {
        Object result = method.invoke(synchronizer, argument);
        return result instanceof Integer ? (Integer) result >= 0 : (Boolean) result;
      } catch (InvocationTargetException e) {
        if (e.getCause() instanceof Error) {
          throw (Error) e.getCause();
        }
        throw (RuntimeException) e.getCause();
      } catch (IllegalAccessException e) {
        throw new IllegalStateException(e);
      }
    };
  }

  private static Method find(Class<?> type, String name) {
    for (Class<?> c = type; c != null && c.getClassLoader() != null; c = c.getSuperclass()) {
      try {
        Method method = c.getDeclaredMethod(name, int.class);
        method.setAccessible(true);
        return method;
      } catch (NoSuchMethodException | RuntimeException e) {
        // its parent may have it
      }
    }
    return null;
  }

  @Replaces(owner = SYNCHRONIZER, name = "acquire", desc = "(I)V", subclasses = true)
  public static void acquire(AbstractQueuedSynchronizer synchronizer, int argument) {
    Strand me = Strand.here();
    BooleanSupplier attempt = me == null ? null : attempt(synchronizer, "tryAcquire", argument);
    if (attempt == null) {
      synchronizer.acquire(argument);
    } else {
      Wait.retryStubbornly(me, attempt);
    }
  }

  @Replaces(owner = SYNCHRONIZER, name = "acquireInterruptibly", desc = "(I)V", subclasses = true)
  public static void acquireInterruptibly(AbstractQueuedSynchronizer synchronizer, int argument)
      throws InterruptedException {
    Strand me = Strand.here();
    BooleanSupplier attempt = me == null ? null : attempt(synchronizer, "tryAcquire", argument);
    if (attempt == null) {
      synchronizer.acquireInterruptibly(argument);
    } else {
      Wait.retry(me, attempt, Strand.NEVER);
    }
  }

  @Replaces(owner = SYNCHRONIZER, name = "tryAcquireNanos", desc = "(IJ)Z", subclasses = true)
  public static boolean tryAcquireNanos(
      AbstractQueuedSynchronizer synchronizer, int argument, long nanos)
      throws InterruptedException {
    Strand me = Strand.here();
    BooleanSupplier attempt = me == null ? null : attempt(synchronizer, "tryAcquire", argument);
    return attempt == null
        ? synchronizer.tryAcquireNanos(argument, nanos)
        : Wait.retry(me, attempt, Wait.deadline(me, nanos, TimeUnit.NANOSECONDS));
  }

  @Replaces(owner = SYNCHRONIZER, name = "acquireShared", desc = "(I)V", subclasses = true)
  public static void acquireShared(AbstractQueuedSynchronizer synchronizer, int argument) {
    Strand me = Strand.here();
    BooleanSupplier attempt =
        me == null ? null : attempt(synchronizer, "tryAcquireShared", argument);
    if (attempt == null) {
      synchronizer.acquireShared(argument);
    } else {
      Wait.retryStubbornly(me, attempt);
    }
  }

  @Replaces(
      owner = SYNCHRONIZER,
      name = "acquireSharedInterruptibly",
      desc = "(I)V",
      subclasses = true)
  public static void acquireSharedInterruptibly(
      AbstractQueuedSynchronizer synchronizer, int argument) throws InterruptedException {
    Strand me = Strand.here();
    BooleanSupplier attempt =
        me == null ? null : attempt(synchronizer, "tryAcquireShared", argument);
    if (attempt == null) {
      synchronizer.acquireSharedInterruptibly(argument);
    } else {
      Wait.retry(me, attempt, Strand.NEVER);
    }
  }

  @Replaces(owner = SYNCHRONIZER, name = "tryAcquireSharedNanos", desc = "(IJ)Z", subclasses = true)
  public static boolean tryAcquireSharedNanos(
      AbstractQueuedSynchronizer synchronizer, int argument, long nanos)
      throws InterruptedException {
    Strand me = Strand.here();
    BooleanSupplier attempt =
        me == null ? null : attempt(synchronizer, "tryAcquireShared", argument);
    return attempt == null
        ? synchronizer.tryAcquireSharedNanos(argument, nanos)
        : Wait.retry(me, attempt, Wait.deadline(me, nanos, TimeUnit.NANOSECONDS));
  }

  // ---- references: the app must not see when memory is collected

  @Replaces(
      owner = "java/lang/ref/ReferenceQueue",
      name = "remove",
      desc = "()Ljava/lang/ref/Reference;")
  public static Reference<?> remove(ReferenceQueue<?> queue) throws InterruptedException {
    Strand me = Strand.here();
    if (me == null) {
      return queue.remove();
    }
    Wait.until(me, () -> false);
    return null;
  }

  @Replaces(
      owner = "java/lang/ref/ReferenceQueue",
      name = "remove",
      desc = "(J)Ljava/lang/ref/Reference;")
  public static Reference<?> remove(ReferenceQueue<?> queue, long millis)
      throws InterruptedException {
    Strand me = Strand.here();
    if (me == null) {
      return queue.remove(millis);
    }
    if (millis == 0) {
      return remove(queue);
    }
    Wait.sleep(me, millis);
    return null;
  }

  @Replaces(
      owner = "java/lang/ref/ReferenceQueue",
      name = "poll",
      desc = "()Ljava/lang/ref/Reference;")
  public static Reference<?> poll(ReferenceQueue<?> queue) {
    return Strand.here() == null ? queue.poll() : null;
  }
}
