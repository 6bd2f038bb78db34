package dev.fewtaps.twin.world;

import java.util.concurrent.locks.LockSupport;

/** A thread of the app: it starts when its world lets it. */
@ReplacesType("java/lang/Thread")
public class WorldThread extends Thread {
  volatile Strand strand;
  private volatile UncaughtExceptionHandler handler;

  public WorldThread() {
    super(null, null, nextName());
  }

  public WorldThread(Runnable target) {
    super(null, target, nextName());
  }

  public WorldThread(ThreadGroup group, Runnable target) {
    super(group, target, nextName());
  }

  public WorldThread(String name) {
    super(name);
  }

  public WorldThread(ThreadGroup group, String name) {
    super(group, name);
  }

  public WorldThread(Runnable target, String name) {
    super(target, name);
  }

  public WorldThread(ThreadGroup group, Runnable target, String name) {
    super(group, target, name);
  }

  public WorldThread(ThreadGroup group, Runnable target, String name, long stackSize) {
    super(group, target, name, stackSize);
  }

  public WorldThread(
      ThreadGroup group,
      Runnable target,
      String name,
      long stackSize,
      boolean inheritThreadLocals) {
    super(group, target, name, stackSize, inheritThreadLocals);
  }

  private static String nextName() {
    Strand here = Strand.current();
    World world = here != null ? here.world : World.current();
    return "Thread-" + (world == null ? "0" : world.nextThreadName());
  }

  /** The handler that the app gave this thread, or null. */
  UncaughtExceptionHandler ownHandler() {
    return handler;
  }

  @Override
  public void setUncaughtExceptionHandler(UncaughtExceptionHandler to) {
    handler = to;
  }

  @Override
  public UncaughtExceptionHandler getUncaughtExceptionHandler() {
    Strand mine = strand;
    if (handler == null) {
      return super.getUncaughtExceptionHandler();
    }
    return mine == null ? handler : mine.world::uncaught;
  }

  @Override
  public void start() {
    startInWorld();
  }

  final void startInWorld() {
    Strand here = Strand.here();
    World world = here != null ? here.world : World.current();
    if (world == null) {
      super.start();
      return;
    }
    if (world.dying) {
      throw new WorldEnded();
    }
    if (strand != null) {
      throw new IllegalThreadStateException("Thread already started");
    }
    strand = world.scheduler.add(this, this::reallyStart);
    world.scheduler.start(strand);
  }

  private void reallyStart() {
    setDaemon(true);
    super.start();
  }

  @Override
  public void run() {
    Strand mine = strand;
    if (mine != null && Thread.currentThread() == this) {
      mine.kernel = KernelThread.ofThisThread();
    }
    super.run();
    if (mine != null && Thread.currentThread() == this) {
      mine.ending = true;
      LockSupport.unpark(mine.resumer);
    }
  }
}
