package dev.fewtaps.twin.world;

import dev.fewtaps.twin.world.Strand.State;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Lets one thread of the app run at a time, in an order that the world's number decides.
 *
 * <p>Background threads are real threads behind gates. The driver (the main thread, or a deputy
 * while the main thread stands in a real wait) opens one gate, then attends until that thread
 * stands at a gate again, ends, or turns out to be stuck in something real. Facts that this rests
 * on: a thread at a gate runs nothing; conditions are cheap and free of side effects; only the
 * thread with the token changes what conditions look at.
 */
final class Scheduler {
  private static final int MAX_THREADS = 1000;
  private static final int RESUMES_PER_INSTANT = 20_000;
  private static final long OUTSIDE_PATIENCE_NANOS = 300_000_000L;
  private static final long ARRIVAL_NANOS = 1_000_000_000L;

  private final World world;
  private final List<Strand> strands = new ArrayList<>();
  private volatile long stamp;
  private long instant = Long.MIN_VALUE;
  private int resumes;

  Scheduler(World world) {
    this.world = world;
  }

  // ---- the threads of the world

  Strand add(Thread thread, Runnable begin) {
    synchronized (strands) {
      int live = 0;
      for (Strand strand : strands) {
        live += strand.over() ? 0 : 1;
      }
      if (live >= MAX_THREADS) {
        throw new OutOfMemoryError("pthread_create (1040KB stack) failed: Try again");
      }
      Strand strand = new Strand(world, thread, world.nextThreadNumber(), false);
      strand.begin = begin;
      strands.add(strand);
      return strand;
    }
  }

  List<Strand> strands() {
    synchronized (strands) {
      strands.removeIf(Strand::over);
      return new ArrayList<>(strands);
    }
  }

  Strand of(Thread thread) {
    if (thread instanceof WorldThread) {
      Strand strand = ((WorldThread) thread).strand;
      return strand != null && strand.world == world ? strand : null;
    }
    if (world.main.thread == thread) {
      return world.main;
    }
    synchronized (strands) {
      for (Strand strand : strands) {
        if (strand.thread == thread) {
          return strand;
        }
      }
    }
    return null;
  }

  Strand byId(long id) {
    if (world.main.thread.getId() == id) {
      return world.main;
    }
    synchronized (strands) {
      for (Strand strand : strands) {
        if (strand.thread.getId() == id) {
          return strand;
        }
      }
    }
    return null;
  }

  /** Starts a thread after a delay drawn from the seed. */
  void start(Strand strand) {
    strand.startToken = Recorder.hand("Thread.start");
    strand.wakeAt = world.now() + world.startDelay();
  }

  /**
   * Starts a thread at once and runs it until it first blocks, because its starter relies on it.
   */
  void startNow(Strand strand) {
    strand.startToken = Recorder.hand("Thread.start");
    Strand.expect(strand);
    strand.wakeAt = world.now();
    resume(strand);
  }

  // ---- driving

  /** Runs one due thread; says whether there was one. */
  boolean runOne() {
    if (world.halted()) {
      return false;
    }
    long now = world.now();
    if (instant != now) {
      instant = now;
      resumes = 0;
    }
    if (resumes >= RESUMES_PER_INSTANT) {
      return false;
    }
    awaitArrivals();
    List<Strand> ready = null;
    for (Strand strand : strands()) {
      if (strand.ready(now)) {
        if (ready == null) {
          ready = new ArrayList<>();
        }
        ready.add(strand);
      }
    }
    if (ready == null) {
      return false;
    }
    resumes++;
    int choice = ready.size() == 1 ? 0 : Draw.below(world.draw(Draw.ORDER), ready.size());
    resume(ready.get(choice));
    return true;
  }

  boolean runDue() {
    stamp++;
    boolean ran = false;
    while (runOne()) {
      ran = true;
    }
    return ran;
  }

  long nextWake() {
    if (world.halted()) {
      return Strand.NEVER;
    }
    long now = world.now();
    long next = Strand.NEVER;
    for (Strand strand : strands()) {
      if (strand.ready(now)) {
        return instant == now && resumes >= RESUMES_PER_INSTANT ? now + 1 : now;
      }
      if (strand.state == State.NEW || strand.state == State.WAITING) {
        next = Math.min(next, strand.wakeAt);
      }
    }
    return next;
  }

  void changed() {
    stamp++;
  }

  private void resume(Strand strand) {
    int fuel = Hooks.fuel;
    Strand me = Strand.current();
    Hooks.fuel = strand.fuel;
    strand.resumer = Thread.currentThread();
    strand.yielded = false;
    boolean fresh = strand.begin != null;
    Runnable begin = strand.begin;
    strand.begin = null;
    strand.wakeAt = Strand.NEVER;
    strand.state = State.RUNNING;
    if (me != null) {
      me.attending = true;
    }
    try {
      if (fresh) {
        if (strand.interruptPending) {
          strand.interruptPending = false;
          strand.thread.interrupt();
        }
        begin.run();
      } else {
        grant(strand);
      }
      attend(strand);
    } finally {
      if (me != null) {
        me.attending = false;
      }
      strand.fuel = Hooks.fuel;
      Hooks.fuel = fuel;
      if (!strand.fruitless) {
        stamp++;
      }
    }
  }

  private static void grant(Strand strand) {
    strand.interruptSent = false;
    strand.granted = true;
    if (strand.monitor != null) {
      // An interruption ends a real wait without our having to own the monitor.
      strand.thread.interrupt();
      strand.interruptSent = true;
    } else {
      LockSupport.unpark(strand.thread);
    }
  }

  /** Waits until the running thread is at a gate, over, or stuck. */
  private void attend(Strand strand) {
    boolean interrupted = false;
    long began = System.nanoTime();
    long pause = 50_000;
    StuckProbe probe = new StuckProbe(this, strand, began);
    while (!strand.yielded) {
      if (strand.ending) {
        interrupted |= joinBriefly(strand.thread);
      }
      if (!strand.thread.isAlive()) {
        finish(strand);
        break;
      }
      LockSupport.parkNanos(this, pause);
      interrupted |= Thread.interrupted();
      long now = System.nanoTime();
      pause = Math.max(50_000, Math.min(2_000_000, (now - began) / 4));
      if (!strand.yielded && now - began > 1_000_000 && probe.stuck(now) && lose(strand)) {
        break;
      }
    }
    awaitRealWait(strand);
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static boolean joinBriefly(Thread thread) {
    try {
      thread.join(50);
      return false;
    } catch (InterruptedException e) {
      return true;
    }
  }

  private void finish(Strand strand) {
    if (strand.lost) {
      strand.lost = false;
      Recorder.found();
    }
    if (strand.state != State.DONE) {
      Recorder.ended(strand);
    }
    strand.state = State.DONE;
    Strand.forget(strand);
  }

  private static boolean lose(Strand strand) {
    synchronized (strand) {
      if (strand.yielded) {
        return false;
      }
      strand.lost = true;
      strand.state = State.LOST;
      Recorder.lost();
      return true;
    }
  }

  /**
   * A thread that yields for Object.wait still owns the monitor for a moment; sees that moment out.
   */
  private static void awaitRealWait(Strand strand) {
    if (strand.monitor == null || !strand.yielded) {
      return;
    }
    for (int i = 0; i < 2000 && strand.thread.getState() == Thread.State.RUNNABLE; i++) {
      Thread.yield();
    }
  }

  /** Waits, in real time, for announced threads and for lost ones that run again. */
  private void awaitArrivals() {
    long began = 0;
    for (Strand strand : strands()) {
      while (awaited(strand)) {
        long now = System.nanoTime();
        if (began == 0) {
          began = now;
        }
        if (!strand.thread.isAlive() && !strand.expected) {
          finish(strand);
        } else if (now - began > ARRIVAL_NANOS) {
          strand.expected = false;
          break;
        } else {
          LockSupport.parkNanos(this, 50_000);
          if (Thread.interrupted()) {
            world.main.interruptPending = true;
          }
        }
      }
    }
  }

  private boolean awaited(Strand strand) {
    if (strand.expected) {
      if (strand.thread.getState() == Thread.State.TERMINATED) {
        strand.expected = false;
        finish(strand);
        return false;
      }
      return true;
    }
    if (strand.state != State.LOST) {
      return false;
    }
    Thread.State state = strand.thread.getState();
    if (state == Thread.State.TERMINATED) {
      finish(strand);
      return false;
    }
    return strand.isFree()
        || state == Thread.State.RUNNABLE && StuckProbe.progresses(strand.thread);
  }

  // ---- blocking

  /**
   * Blocks this thread until the condition holds or the clock shows the deadline; returns whether
   * the condition holds.
   */
  boolean block(Strand me, BooleanSupplier until, long deadline, boolean interruptible)
      throws InterruptedException {
    return blockOn(me, until, deadline, interruptible, null);
  }

  /** As block, but gives up the object's monitor meanwhile. */
  boolean blockOn(
      Strand me, BooleanSupplier until, long deadline, boolean interruptible, Object monitor)
      throws InterruptedException {
    checkAlive(me);
    if (interruptible && me.takeInterrupt()) {
      throw new InterruptedException();
    }
    me.waited = until == null || !until.getAsBoolean();
    if (!me.waited) {
      return true;
    }
    if (me.main && monitor == null) {
      drive(me, until, deadline, interruptible);
    } else if (me.main) {
      driveByDeputy(me, until, deadline, interruptible, monitor);
    } else {
      park(me, until, deadline, interruptible, monitor);
    }
    afterwards(me, interruptible);
    me.waited = true; // What other hooks did meanwhile may have changed it.
    return until != null && until.getAsBoolean();
  }

  /** Blocks until an attempt of this very thread succeeds; attempts follow every change. */
  boolean retry(Strand me, BooleanSupplier attempt, long deadline, boolean interruptible)
      throws InterruptedException {
    checkAlive(me);
    if (me.main) {
      if (interruptible && me.takeInterrupt()) {
        throw new InterruptedException();
      }
      boolean done = drive(me, attempt, deadline, interruptible);
      if (!done) {
        afterwards(me, interruptible);
      }
      return done;
    }
    try {
      for (int tries = 0; ; tries++) {
        if (interruptible && me.takeInterrupt()) {
          throw new InterruptedException();
        }
        if (attempt.getAsBoolean()) {
          return true;
        }
        if (world.now() >= deadline) {
          return false;
        }
        long seen = stamp;
        me.fruitless = tries > 0;
        park(me, () -> stamp != seen, deadline, interruptible, null);
      }
    } finally {
      me.fruitless = false;
      if (!interruptible) {
        afterwards(me, false);
      }
    }
  }

  /**
   * Gives others a turn for so many virtual milliseconds, without counting as the app's own
   * waiting.
   */
  void rest(Strand me, long millis) {
    checkAlive(me);
    if (me.main) {
      drive(me, null, world.now() + millis, false);
    } else {
      int slices = me.slices;
      park(me, null, world.now() + millis, false, null);
      me.slices = slices;
    }
    if (me.interruptPending) {
      me.interruptPending = false;
      me.thread.interrupt();
    }
  }

  /** Parks this background thread until its world ends. */
  void parkForEver(Strand me) {
    park(me, null, Strand.NEVER, false, null);
    throw new WorldEnded();
  }

  private static void afterwards(Strand me, boolean interruptible) throws InterruptedException {
    if (interruptible) {
      if (me.takeInterrupt()) {
        throw new InterruptedException();
      }
    } else if (me.interruptPending) {
      me.interruptPending = false;
      me.thread.interrupt();
    }
  }

  private void park(
      Strand me, BooleanSupplier until, long deadline, boolean interruptible, Object monitor) {
    me.until = until;
    me.wakeAt = deadline;
    me.interruptible = interruptible;
    me.delayed = false;
    me.granted = false;
    me.monitor = monitor;
    synchronized (me) {
      if (me.lost) {
        Recorder.found();
      }
      me.lost = false;
      me.expected = false;
      me.state = State.WAITING;
      me.yielded = true;
    }
    LockSupport.unpark(me.resumer);
    if (monitor == null) {
      standAtGate(me);
    } else {
      standInMonitor(me, monitor);
    }
    me.monitor = null;
    me.until = null;
    if (world.dying) {
      trouble(me);
    }
    me.chunks = 0;
    me.slices = 0;
    me.clockReads = 0;
  }

  private void standAtGate(Strand me) {
    while (!me.granted && !world.dying) {
      LockSupport.park(me);
      if (me.thread.isInterrupted()) {
        // First said, then cleared, so that the driver always sees one of the two.
        me.interruptPending = true;
        Thread.interrupted();
      }
    }
  }

  private void standInMonitor(Strand me, Object monitor) {
    while (!me.granted && !world.dying) {
      try {
        monitor.wait();
        me.notified = true; // by code that is not hooked, or spuriously, which Java allows
      } catch (InterruptedException e) {
        if (!me.granted && !world.dying) {
          me.interruptPending = true;
        }
      }
    }
    if (me.granted) {
      while (!me.interruptSent) {
        Thread.onSpinWait();
      }
    }
    Thread.interrupted();
    if (me.lost && !world.dying) {
      // It got its monitor back late, after the driver had gone on: queues up again, holding it.
      park(me, null, world.now(), false, null);
    }
  }

  /**
   * Runs background threads in place of the blocked main thread, moving the clock, until the
   * condition holds (true) or the deadline is there (false).
   */
  private boolean drive(Strand main, BooleanSupplier until, long deadline, boolean interruptible) {
    long idleSince = 0;
    stamp++;
    for (; ; ) {
      if (until != null && Strand.holds(until)) {
        return true;
      }
      long now = world.now();
      if (now >= deadline || (interruptible && main.hasInterrupt())) {
        return false;
      }
      if (world.halted()) {
        throw world.ending();
      }
      if (runOne()) {
        idleSince = 0;
        continue;
      }
      long next = Math.min(nextWake(), deadline);
      if (next == Strand.NEVER) {
        idleSince = idleSince == 0 ? System.nanoTime() : idleSince;
        if (System.nanoTime() - idleSince > OUTSIDE_PATIENCE_NANOS) {
          world.moveTo(now + Math.max(0, world.settings.anrMillis() - world.standstill));
          throw world.hang("the main thread waits for something that will never happen");
        }
        LockSupport.parkNanos(this, 500_000); // a thread of the framework may still help
        if (Thread.interrupted()) {
          main.interruptPending = true;
        }
        continue;
      }
      long left = world.settings.anrMillis() - world.standstill;
      if (next - now > left) {
        world.standstill += Math.max(0, left);
        world.moveTo(now + Math.max(0, left));
        throw world.hang(
            "the main thread did not answer for " + world.settings.anrMillis() / 1000 + " s");
      }
      world.standstill += next - now;
      world.moveTo(next);
    }
  }

  /** The same while the main thread stands in a real Object.wait, which alone frees a monitor. */
  private void driveByDeputy(
      Strand main, BooleanSupplier until, long deadline, boolean interruptible, Object monitor) {
    Throwable[] failure = new Throwable[1];
    boolean[] finished = new boolean[1];
    Thread deputy =
        new Thread(
            () -> {
              try {
                for (int i = 0; i < 2000 && main.thread.getState() == Thread.State.RUNNABLE; i++) {
                  Thread.yield();
                }
                drive(main, until, deadline, interruptible);
              } catch (Throwable e) {
                failure[0] = e;
              }
              synchronized (finished) {
                finished[0] = true;
              }
              main.thread.interrupt();
            },
            "twin-deputy");
    deputy.setDaemon(true);
    main.attending = true;
    main.monitor = monitor;
    deputy.start();
    while (!isSet(finished)) {
      try {
        monitor.wait();
        main.notified = true;
      } catch (InterruptedException e) {
        // Ours: the deputy is done. Others' interruptions of the main thread come through the hook.
      }
    }
    while (deputy.isAlive()) {
      joinBriefly(deputy);
    }
    Thread.interrupted();
    main.monitor = null;
    main.attending = false;
    if (failure[0] instanceof MainThreadHangs) {
      failure[0].setStackTrace(world.hangStack()); // its own is the deputy's
    }
    if (failure[0] instanceof Error) {
      throw (Error) failure[0];
    } else if (failure[0] != null) {
      throw (RuntimeException) failure[0];
    }
  }

  private static boolean isSet(boolean[] flag) {
    synchronized (flag) {
      return flag[0];
    }
  }

  // ---- trouble

  /** Called by a hook of a thread that lost its turn, or whose world is over. */
  void trouble(Strand me) {
    if (world.dying) {
      if (me.main) {
        if (world.ended) {
          return; // teardown still runs on it
        }
        throw world.ending();
      }
      if (++me.deaths > 50) {
        // It swallows every error; burn no processor for it.
        for (; ; ) {
          LockSupport.park();
          Thread.interrupted();
        }
      }
      throw new WorldEnded();
    }
    if (!me.lost) {
      return;
    }
    if (me.main) {
      world.pump.awaitTurn();
    } else {
      park(me, null, world.now(), false, null);
      if (me.interruptPending) {
        me.interruptPending = false;
        me.thread.interrupt();
      }
    }
  }

  private void checkAlive(Strand me) {
    if (world.ended) {
      throw new WorldEnded();
    }
    if (world.dying) {
      trouble(me);
    }
    if (world.halted() && me.main) {
      throw world.ending();
    }
  }

  /** Joins a thread that the framework started: it blocks here as any other from now on. */
  void blockAdopted(Strand me, BooleanSupplier ready, long deadline) {
    checkAlive(me);
    if (ready.getAsBoolean() && !me.expected && me.resumer != null) {
      return;
    }
    if (me.main) {
      drive(me, ready, deadline, false);
    } else {
      park(me, ready, deadline, false, null);
    }
    if (me.interruptPending) {
      me.interruptPending = false;
      me.thread.interrupt();
    }
  }

  /**
   * Ends all background threads, one after the other, and returns when they are gone or given up.
   */
  void killAll() {
    long giveUp = System.nanoTime() + 1_000_000_000L;
    List<Strand> left = strands();
    for (int round = 0; round < 2 && !left.isEmpty(); round++) {
      for (Strand strand : left) {
        kill(strand, giveUp);
      }
      left.removeIf(strand -> strand.begin != null || !strand.thread.isAlive());
    }
    synchronized (strands) {
      strands.clear();
    }
  }

  private void kill(Strand strand, long giveUp) {
    Strand.forget(strand);
    if (strand.begin != null || strand.thread == Thread.currentThread()) {
      return;
    }
    if (strand.monitor != null || strand.state == State.LOST || strand.state == State.RUNNING) {
      strand.thread.interrupt();
    }
    LockSupport.unpark(strand.thread);
    long left = Math.min(40_000_000L, giveUp - System.nanoTime());
    if (left > 0) {
      try {
        strand.thread.join(Math.max(1, left / 1_000_000));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
