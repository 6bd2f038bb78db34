package dev.fewtaps.twin.world;

import java.lang.Thread.UncaughtExceptionHandler;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Threads, monitors and parking, in virtual time. */
public final class ThreadHooks {
  private static final String THREAD = "java/lang/Thread";
  private static final String OBJECT = "java/lang/Object";
  private static final String SUPPORT = "java/util/concurrent/locks/LockSupport";

  private ThreadHooks() {}

  // ---- sleeping

  @Replaces(owner = THREAD, name = "sleep", desc = "(J)V", subclasses = true)
  public static void sleep(long millis) throws InterruptedException {
    if (millis < 0) {
      throw new IllegalArgumentException("millis < 0: " + millis);
    }
    Strand me = Strand.here();
    if (me == null) {
      Thread.sleep(millis);
    } else {
      Wait.sleep(me, millis);
    }
  }

  @Replaces(owner = THREAD, name = "sleep", desc = "(JI)V", subclasses = true)
  public static void sleep(long millis, int nanos) throws InterruptedException {
    sleep(nanos > 0 && millis < Long.MAX_VALUE ? millis + 1 : millis);
  }

  @Replaces(owner = "java/util/concurrent/TimeUnit", name = "sleep", desc = "(J)V")
  public static void sleep(TimeUnit unit, long timeout) throws InterruptedException {
    if (timeout > 0) {
      sleep(Math.max(1, unit.toMillis(timeout)));
    }
  }

  /** Takes a virtual millisecond, so that a thread that only yields does not stop the clock. */
  @Replaces(owner = THREAD, name = "yield", desc = "()V", subclasses = true)
  @Replaces(owner = THREAD, name = "onSpinWait", desc = "()V", subclasses = true)
  public static void yield() {
    Strand me = Strand.here();
    if (me == null) {
      Thread.yield();
    } else {
      me.world.scheduler.rest(me, 1);
    }
  }

  // ---- starting and ending

  @Replaces(owner = THREAD, name = "start", desc = "()V", subclasses = true)
  public static void start(Thread thread) {
    Strand me = Strand.here();
    World world = me != null ? me.world : World.current();
    if (world == null) {
      thread.start();
    } else if (!(thread instanceof WorldThread)) {
      // A thread class of the framework, such as HandlerThread, relies on being alive at once.
      if (thread.getState() == Thread.State.NEW && !world.owns(thread)) {
        world.startNow(thread);
      } else {
        throw new IllegalThreadStateException();
      }
    } else if (Guard.enter(thread, "start")) {
      try {
        thread.start();
      } finally {
        Guard.leave();
      }
    } else {
      ((WorldThread) thread).startInWorld();
    }
  }

  /** Returns the strand of any thread of the calling thread's world, or null. */
  private static Strand strandOf(Thread thread) {
    Strand me = Strand.here();
    return me == null ? null : me.world.scheduler.of(thread);
  }

  @Replaces(owner = THREAD, name = "isAlive", desc = "()Z", subclasses = true)
  public static boolean isAlive(Thread thread) {
    Strand strand = strandOf(thread);
    return strand == null ? thread.isAlive() : !isOver(strand);
  }

  private static boolean isOver(Strand strand) {
    return strand.over() || (strand.begin == null && !strand.thread.isAlive());
  }

  @Replaces(
      owner = THREAD,
      name = "getState",
      desc = "()Ljava/lang/Thread$State;",
      subclasses = true)
  public static Thread.State getState(Thread thread) {
    Strand strand = strandOf(thread);
    if (strand == null) {
      return thread.getState();
    }
    if (isOver(strand)) {
      return Thread.State.TERMINATED;
    }
    switch (strand.state) {
      case WAITING:
        return strand.wakeAt == Strand.NEVER ? Thread.State.WAITING : Thread.State.TIMED_WAITING;
      case LOST:
        return thread.getState();
      default:
        return Thread.State.RUNNABLE;
    }
  }

  @Replaces(owner = THREAD, name = "join", desc = "()V", subclasses = true)
  public static void join(Thread thread) throws InterruptedException {
    join(thread, 0);
  }

  @Replaces(owner = THREAD, name = "join", desc = "(JI)V", subclasses = true)
  public static void join(Thread thread, long millis, int nanos) throws InterruptedException {
    join(thread, nanos > 0 ? millis + 1 : millis);
  }

  @Replaces(owner = THREAD, name = "join", desc = "(J)V", subclasses = true)
  public static void join(Thread thread, long millis) throws InterruptedException {
    if (millis < 0) {
      throw new IllegalArgumentException("millis < 0");
    }
    Strand me = Strand.here();
    if (me == null) {
      thread.join(millis);
      return;
    }
    Strand other = me.world.scheduler.of(thread);
    if (other == null) {
      if (thread.isAlive()) {
        Wait.until(
            me, () -> !thread.isAlive(), millis == 0 ? Strand.NEVER : Wait.after(me, millis));
      }
      return;
    }
    long deadline = millis == 0 ? Strand.NEVER : Wait.after(me, millis);
    boolean waits = !isOver(other);
    if (Wait.until(me, () -> isOver(other), deadline) && waits) {
      Recorder.woke(other.endToken);
    }
  }

  @Replaces(owner = THREAD, name = "interrupt", desc = "()V", subclasses = true)
  public static void interrupt(Thread thread) {
    Strand strand = strandOf(thread);
    if (strand == null || strand.thread == Thread.currentThread()) {
      thread.interrupt();
    } else if (strand.state == Strand.State.WAITING || strand.begin != null || strand.main) {
      strand.interruptPending = true;
    } else if (!isOver(strand)) {
      thread.interrupt();
    }
  }

  @Replaces(owner = THREAD, name = "isInterrupted", desc = "()Z", subclasses = true)
  public static boolean isInterrupted(Thread thread) {
    Strand strand = strandOf(thread);
    return thread.isInterrupted() || (strand != null && strand.interruptPending);
  }

  @Replaces(owner = THREAD, name = "interrupted", desc = "()Z", subclasses = true)
  public static boolean interrupted() {
    Strand me = Strand.here();
    return me == null ? Thread.interrupted() : me.takeInterrupt();
  }

  @Replaces(owner = THREAD, name = "getId", desc = "()J", subclasses = true)
  @Replaces(owner = THREAD, name = "threadId", desc = "()J", subclasses = true)
  public static long getId(Thread thread) {
    Strand strand = strandOf(thread);
    return strand == null ? thread.getId() : strand.number;
  }

  @Replaces(owner = THREAD, name = "stop", desc = "()V", subclasses = true)
  @Replaces(owner = THREAD, name = "suspend", desc = "()V", subclasses = true)
  @Replaces(owner = THREAD, name = "resume", desc = "()V", subclasses = true)
  @Replaces(owner = THREAD, name = "destroy", desc = "()V", subclasses = true)
  public static void unsupported(Thread thread) {
    throw new UnsupportedOperationException();
  }

  // ---- handlers

  @Replaces(
      owner = THREAD,
      name = "setDefaultUncaughtExceptionHandler",
      desc = "(Ljava/lang/Thread$UncaughtExceptionHandler;)V",
      subclasses = true)
  public static void setDefaultHandler(UncaughtExceptionHandler handler) {
    Strand me = Strand.here();
    if (me == null) {
      Thread.setDefaultUncaughtExceptionHandler(handler);
    } else {
      me.world.setDefaultHandler(handler);
    }
  }

  @Replaces(
      owner = THREAD,
      name = "getDefaultUncaughtExceptionHandler",
      desc = "()Ljava/lang/Thread$UncaughtExceptionHandler;",
      subclasses = true)
  public static UncaughtExceptionHandler getDefaultHandler() {
    Strand me = Strand.here();
    return me == null ? Thread.getDefaultUncaughtExceptionHandler() : me.world.defaultHandler();
  }

  @Replaces(
      owner = THREAD,
      name = "setUncaughtExceptionHandler",
      desc = "(Ljava/lang/Thread$UncaughtExceptionHandler;)V",
      subclasses = true)
  public static void setHandler(Thread thread, UncaughtExceptionHandler handler) {
    Strand strand = strandOf(thread);
    if (thread instanceof WorldThread || strand == null) {
      thread.setUncaughtExceptionHandler(handler);
    } else {
      strand.handler = handler;
    }
  }

  @Replaces(
      owner = THREAD,
      name = "getUncaughtExceptionHandler",
      desc = "()Ljava/lang/Thread$UncaughtExceptionHandler;",
      subclasses = true)
  public static UncaughtExceptionHandler getHandler(Thread thread) {
    Strand strand = strandOf(thread);
    if (strand == null || thread instanceof WorldThread) {
      return thread.getUncaughtExceptionHandler();
    }
    return strand.handler != null ? strand.handler : thread.getThreadGroup();
  }

  // ---- monitors

  @Replaces(owner = OBJECT, name = "wait", desc = "()V", subclasses = true)
  public static void await(Object monitor) throws InterruptedException {
    await(monitor, 0);
  }

  @Replaces(owner = OBJECT, name = "wait", desc = "(JI)V", subclasses = true)
  public static void await(Object monitor, long millis, int nanos) throws InterruptedException {
    await(monitor, nanos > 0 ? millis + 1 : millis);
  }

  @Replaces(owner = OBJECT, name = "wait", desc = "(J)V", subclasses = true)
  public static void await(Object monitor, long millis) throws InterruptedException {
    if (millis < 0) {
      throw new IllegalArgumentException("millis < 0");
    }
    Strand me = Strand.here();
    if (me == null) {
      monitor.wait(millis);
      return;
    }
    if (!Thread.holdsLock(monitor)) {
      throw new IllegalMonitorStateException("object not locked by thread before wait()");
    }
    me.notified = false;
    me.wokenBy = 0;
    List<Strand> waiters = me.world.waiters;
    synchronized (waiters) {
      waiters.add(me);
    }
    me.waitsOn = monitor;
    try {
      long deadline = millis == 0 ? Strand.NEVER : Wait.after(me, millis);
      if (me.world.scheduler.blockOn(me, () -> me.notified, deadline, true, monitor)) {
        Recorder.woke(me.wokenBy);
      }
    } finally {
      me.waitsOn = null;
      synchronized (waiters) {
        waiters.remove(me);
      }
    }
  }

  @Replaces(owner = OBJECT, name = "notify", desc = "()V", subclasses = true)
  public static void notifyOne(Object monitor) {
    Strand me = Strand.here();
    List<Strand> waiting = me == null ? List.of() : waiting(me.world, monitor);
    if (waiting.isEmpty()) {
      monitor.notify();
      return;
    }
    checkOwner(monitor);
    int choice = waiting.size() == 1 ? 0 : Draw.below(me.world.draw(Draw.ORDER), waiting.size());
    wake(waiting.get(choice), Recorder.hand("Object.notify"));
  }

  @Replaces(owner = OBJECT, name = "notifyAll", desc = "()V", subclasses = true)
  public static void notifyEvery(Object monitor) {
    Strand me = Strand.here();
    List<Strand> waiting = me == null ? List.of() : waiting(me.world, monitor);
    if (waiting.isEmpty()) {
      monitor.notifyAll();
      return;
    }
    checkOwner(monitor);
    int token = Recorder.hand("Object.notifyAll");
    for (Strand strand : waiting) {
      wake(strand, token);
    }
  }

  private static void wake(Strand strand, int token) {
    strand.wokenBy = token;
    strand.notified = true;
  }

  private static void checkOwner(Object monitor) {
    if (!Thread.holdsLock(monitor)) {
      throw new IllegalMonitorStateException("object not locked by thread before notify()");
    }
  }

  private static List<Strand> waiting(World world, Object monitor) {
    List<Strand> found = new ArrayList<>();
    synchronized (world.waiters) {
      for (Strand strand : world.waiters) {
        if (strand.waitsOn == monitor && !strand.notified) {
          found.add(strand);
        }
      }
    }
    return found;
  }

  // ---- parking

  private static void park(long deadlineMillis) {
    Strand me = Strand.here();
    if (!me.permit && !me.hasInterrupt()) {
      try {
        me.world.scheduler.block(me, () -> me.permit || me.hasInterrupt(), deadlineMillis, false);
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
    me.permit = false;
  }

  private static long nanosFrom(Strand me, long nanos) {
    return Wait.deadline(me, nanos, TimeUnit.NANOSECONDS);
  }

  @Replaces(owner = SUPPORT, name = "park", desc = "()V")
  public static void park() {
    if (Strand.here() == null) {
      LockSupport.park();
    } else {
      park(Strand.NEVER);
    }
  }

  @Replaces(owner = SUPPORT, name = "park", desc = "(Ljava/lang/Object;)V")
  public static void park(Object blocker) {
    park();
  }

  @Replaces(owner = SUPPORT, name = "parkNanos", desc = "(J)V")
  public static void parkNanos(long nanos) {
    Strand me = Strand.here();
    if (me == null) {
      LockSupport.parkNanos(nanos);
    } else if (nanos > 0) {
      park(nanosFrom(me, nanos));
    }
  }

  @Replaces(owner = SUPPORT, name = "parkNanos", desc = "(Ljava/lang/Object;J)V")
  public static void parkNanos(Object blocker, long nanos) {
    parkNanos(nanos);
  }

  @Replaces(owner = SUPPORT, name = "parkUntil", desc = "(J)V")
  public static void parkUntil(long wallMillis) {
    Strand me = Strand.here();
    if (me == null) {
      LockSupport.parkUntil(wallMillis);
    } else {
      park(Math.max(me.world.now(), wallMillis - World.epochMillis()));
    }
  }

  @Replaces(owner = SUPPORT, name = "parkUntil", desc = "(Ljava/lang/Object;J)V")
  public static void parkUntil(Object blocker, long wallMillis) {
    parkUntil(wallMillis);
  }

  @Replaces(owner = SUPPORT, name = "unpark", desc = "(Ljava/lang/Thread;)V")
  public static void unpark(Thread thread) {
    Strand strand = thread == null ? null : strandOf(thread);
    if (strand == null) {
      LockSupport.unpark(thread);
    } else {
      strand.permit = true;
    }
  }
}
