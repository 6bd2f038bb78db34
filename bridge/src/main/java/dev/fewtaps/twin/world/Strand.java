package dev.fewtaps.twin.world;

import java.util.IdentityHashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** One thread of a world: the main thread, or a background thread that runs only when it is let. */
final class Strand {
  /** Where a background thread stands. */
  enum State {
    /** Started by the app, not yet by us. */
    NEW,
    /** Stands at its gate until it is due and chosen. */
    WAITING,
    /** Has the token. */
    RUNNING,
    /** Is stuck outside of our gates; comes back at its next hook. */
    LOST,
    /** Is over. */
    DONE
  }

  static final long NEVER = Long.MAX_VALUE;

  private static final ThreadLocal<Strand> BOUND = new ThreadLocal<>();

  /** By identity: a thread class of the app may have a hash code of its own, which asks for us. */
  private static final Map<Thread, Strand> EXPECTED = new IdentityHashMap<>();

  private static volatile boolean someExpected;

  final World world;
  final Thread thread;
  final int number;
  final boolean main;

  /** Really starts the thread; null once it runs. */
  Runnable begin;

  volatile State state = State.NEW;
  volatile boolean lost;

  // The condition that it waits for, read by the driving thread.
  volatile BooleanSupplier until;
  volatile long wakeAt = NEVER;
  volatile boolean interruptible;
  volatile boolean interruptPending;

  /** The object in whose real wait set the thread stands, or null when it stands at the gate. */
  volatile Object monitor;

  volatile Object waitsOn;
  volatile boolean notified;
  volatile boolean fruitless;

  /** A background looper: its wake-ups get a delay of their own. */
  boolean looper;

  boolean delayed;

  // The passing of the token.
  volatile boolean granted;
  volatile boolean interruptSent;
  volatile boolean yielded;
  volatile boolean ending;
  volatile boolean attending;
  volatile boolean expected;
  volatile Thread resumer;
  volatile KernelThread kernel;

  // Own affairs of the running thread.
  volatile boolean permit;
  boolean randomSeeded;
  int fuel = Hooks.CHUNK;
  int chunks;
  int slices;
  int clockReads;
  int deaths;

  /** Its number in the recording, from 1 on; 0 as long as it has written nothing. */
  int recorded;

  private Tasks tasks;

  // Tokens of the recording: of its start, of its end, and of what woke it last.
  int startToken;
  volatile int endToken;
  volatile int wokenBy;

  /** Whether its last wait for a condition was one: the condition did not hold at once. */
  boolean waited;

  Object inside;
  Thread.UncaughtExceptionHandler handler;

  Strand(World world, Thread thread, int number, boolean main) {
    this.world = world;
    this.thread = thread;
    this.number = number;
    this.main = main;
  }

  /** Returns the strand of this thread, or null when it belongs to no world. */
  static Strand current() {
    Thread thread = Thread.currentThread();
    if (thread instanceof WorldThread) {
      return ((WorldThread) thread).strand;
    }
    Strand strand = BOUND.get();
    if (strand == null && someExpected) {
      synchronized (EXPECTED) {
        strand = EXPECTED.remove(thread);
        someExpected = !EXPECTED.isEmpty();
      }
      if (strand != null) {
        BOUND.set(strand);
      }
    }
    return strand;
  }

  /**
   * Returns the strand of this thread for a hook, or null when it belongs to no world. A thread
   * that lost its turn first waits for it; one of an ended world does not return.
   */
  static Strand here() {
    Strand strand = current();
    if (strand != null) {
      if (strand.kernel == null) {
        strand.kernel = KernelThread.ofThisThread();
      }
      if (strand.lost || strand.world.dying) {
        strand.world.scheduler.trouble(strand);
      }
    }
    return strand;
  }

  static void bind(Strand strand) {
    if (strand == null) {
      BOUND.remove();
    } else {
      BOUND.set(strand);
    }
  }

  static void expect(Strand strand) {
    synchronized (EXPECTED) {
      EXPECTED.put(strand.thread, strand);
      someExpected = true;
    }
  }

  static void forget(Strand strand) {
    synchronized (EXPECTED) {
      if (EXPECTED.get(strand.thread) == strand) {
        EXPECTED.remove(strand.thread);
        someExpected = !EXPECTED.isEmpty();
      }
    }
  }

  /** What it is at, for the recording. */
  Tasks tasks() {
    if (tasks == null) {
      tasks = new Tasks(main ? Tasks.UNKNOWN : startToken);
    }
    return tasks;
  }

  /** Whether the recording has seen it at something. */
  boolean isRecorded() {
    return tasks != null;
  }

  boolean hasInterrupt() {
    return interruptPending || thread.isInterrupted();
  }

  /** Clears the interruption of this very thread and says whether there was one. */
  boolean takeInterrupt() {
    boolean was = Thread.interrupted() | interruptPending;
    interruptPending = false;
    return was;
  }

  /** Says whether this background thread could go on now. */
  boolean ready(long now) {
    switch (state) {
      case NEW:
        return now >= wakeAt;
      case WAITING:
        if (now >= wakeAt || (interruptible && hasInterrupt())) {
          return true;
        }
        BooleanSupplier condition = until;
        if (condition == null || delayed || !holds(condition)) {
          return false;
        }
        if (!looper) {
          return true;
        }
        delayed = true;
        wakeAt = Math.min(wakeAt, now + world.startDelay());
        return false;
      default:
        return false;
    }
  }

  /** A condition that fails with an exception holds: the thread itself will meet the exception. */
  static boolean holds(BooleanSupplier condition) {
    try {
      return condition.getAsBoolean();
    } catch (RuntimeException e) {
      return true;
    }
  }

  /** Says whether nothing keeps the thread from going on but that others have the processor. */
  boolean isFree() {
    KernelThread known = kernel;
    return known != null && known.wantsProcessor() || StuckProbe.isFreed(thread);
  }

  boolean over() {
    return state == State.DONE;
  }
}
