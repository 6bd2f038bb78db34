package dev.fewtaps.twin.world;

import java.util.List;

/**
 * The methods that the app's code calls in place of those that would make a run unrepeatable or
 * unstoppable.
 *
 * <p>Every hook does what the original does on a thread that belongs to no world.
 */
public final class Hooks {
  /** The classes whose annotations say what is replaced. */
  public static final List<Class<?>> CLASSES =
      List.of(
          Hooks.class,
          TimeHooks.class,
          RandomHooks.class,
          WorldRandom.class,
          WorldSecureRandom.class,
          ThreadHooks.class,
          WorldThread.class,
          LockHooks.class,
          QueueHooks.class,
          FutureHooks.class,
          ForkHooks.class,
          PoolHooks.class,
          WorldThreadPool.class,
          WorldAbortPolicy.class,
          WorldScheduledPool.class,
          WorldForkJoinPool.class,
          WorldTimer.class,
          WorldTimerTask.class,
          WorldSynchronousQueue.class,
          WorldCyclicBarrier.class,
          WorldExchanger.class,
          SystemHooks.class,
          LocaleHooks.class,
          PatternHooks.class,
          IteratorHooks.class,
          FileHooks.class,
          OpenFiles.class,
          FilesHooks.class,
          NetHooks.class,
          WorldSocket.class,
          WorldFileOutputStream.class,
          WorldServerSocket.class);

  /** Loop turns between two looks at the budget. */
  static final int CHUNK = 100_000;

  private static final int CHUNKS_PER_SLICE = 50;
  private static final long SLICE_MILLIS = 100;
  private static final int SLICES_BACKGROUND = 60;
  private static final int CHUNKS_PER_MAIN_SLICE = 50;
  private static final long MAIN_SLICE_MILLIS = 500;
  private static final long MAIN_REAL_NANOS = 8_000_000_000L;
  private static final int CLOCK_READS = 1000;
  private static final String OUT_OF_TURNS = "the loops of the app turn without end";

  /** Loop turns left; not exact when threads run that do not belong to the world, which is fine. */
  static int fuel = CHUNK;

  private Hooks() {}

  /** Called at each turn of a loop. */
  public static void tick() {
    if (--fuel < 0) {
      outOfFuel();
    }
  }

  private static void outOfFuel() {
    fuel = CHUNK;
    Strand me = Strand.here();
    if (me == null) {
      return;
    }
    me.chunks++;
    me.world.turned(CHUNK + 1); // The turn that found nothing left counts too.
    if (me.main) {
      mainWorks(me);
    } else if (me.world.isOutOfTurns()) {
      me.world.endless(OUT_OF_TURNS);
      me.world.scheduler.parkForEver(me);
    } else if (me.chunks % CHUNKS_PER_SLICE == 0) {
      backgroundWorks(me);
    }
  }

  /** Computing takes time: others get a turn, the clock moves, and at last it is no answer. */
  private static void mainWorks(Strand me) {
    if (me.world.ended) {
      throw new WorldEnded();
    }
    if (me.world.hangs() != null) {
      throw me.world.ending();
    }
    if (!me.world.inEvent) {
      return;
    }
    if (me.world.isOutOfTurns()) {
      throw me.world.endless(OUT_OF_TURNS);
    }
    long used = StuckProbe.used(me.thread) - Preparation.nanos();
    boolean isFull = Recorder.isFull();
    if (me.world.workBegan == Long.MIN_VALUE || isFull && !me.world.workIsUnrecorded) {
      me.world.workBegan = used; // Work that was recorded is not charged.
      me.world.workIsUnrecorded = isFull;
    } else if (used - me.world.workBegan > Recorder.patience(MAIN_REAL_NANOS)) {
      throw me.world.endless("the main thread works without end");
    }
    if (me.chunks % CHUNKS_PER_MAIN_SLICE == 0) {
      me.world.scheduler.rest(me, MAIN_SLICE_MILLIS);
    }
  }

  private static void backgroundWorks(Strand me) {
    if (++me.slices > SLICES_BACKGROUND) {
      me.world.note("the background thread " + me.thread.getName() + " works without end");
      me.world.scheduler.parkForEver(me);
    }
    me.world.scheduler.rest(me, SLICE_MILLIS);
  }

  /** A loop that only looks at the clock must see it move. */
  static void clockRead(Strand me) {
    if (++me.clockReads % CLOCK_READS == 0 && !me.world.ended) {
      int reads = me.clockReads;
      me.world.scheduler.rest(me, me.clockReads > 20 * CLOCK_READS ? 20 : 2);
      me.clockReads = reads;
    }
  }

  /** Called in place of a native method; its result is zero or null. */
  public static void nativeCalled(String name) {
    Strand me = Strand.here();
    if (me != null) {
      me.world.touchNative(name);
      me.world.note("native method " + name + " cannot run");
    }
  }

  /** The hash code of an object that has none of its own: the same in each run of a world. */
  public static int identityHash(Object object) {
    Strand me = Strand.current();
    if (object == null || me == null) {
      return System.identityHashCode(object);
    }
    return me.world.identities.of(object);
  }

  /** Called where the constant of an enum has just been made. */
  public static void enumMade(Enum<?> constant) {
    FixedHashes.give(constant);
  }

  // ---- the end of the process

  /** Ends the app, not us. */
  @Replaces(owner = "java/lang/System", name = "exit", desc = "(I)V")
  public static void exit(int status) {
    Strand me = Strand.here();
    if (me == null) {
      World world = World.current();
      throw world != null ? world.exited(status) : new AppExited(status);
    }
    throw me.world.exited(status);
  }

  /** Ends the app, not us. */
  @Replaces(owner = "java/lang/Runtime", name = "exit", desc = "(I)V")
  @Replaces(owner = "java/lang/Runtime", name = "halt", desc = "(I)V")
  public static void exit(Runtime runtime, int status) {
    exit(status);
  }

  /** An app can only kill processes of its own, of which there is one. */
  @Replaces(owner = "android/os/Process", name = "killProcess", desc = "(I)V")
  public static void killProcess(int pid) {
    exit(0);
  }

  /** The signals that end a process. */
  @Replaces(owner = "android/os/Process", name = "sendSignal", desc = "(II)V")
  public static void sendSignal(int pid, int signal) {
    if (signal == 9 || signal == 15) {
      exit(0);
    }
  }

  /** Android never runs them when it ends a process. */
  @Replaces(owner = "java/lang/Runtime", name = "addShutdownHook", desc = "(Ljava/lang/Thread;)V")
  public static void addShutdownHook(Runtime runtime, Thread hook) {}

  @Replaces(
      owner = "java/lang/Runtime",
      name = "removeShutdownHook",
      desc = "(Ljava/lang/Thread;)Z")
  public static boolean removeShutdownHook(Runtime runtime, Thread hook) {
    return true;
  }

  // ---- native libraries

  /** Lets the app live without its library, and remembers that it did. */
  @Replaces(owner = "java/lang/System", name = "loadLibrary", desc = "(Ljava/lang/String;)V")
  public static void loadLibrary(String name) {
    if (name == null) {
      throw new NullPointerException("libname == null");
    }
    missing("lib" + name + ".so");
  }

  @Replaces(owner = "java/lang/System", name = "load", desc = "(Ljava/lang/String;)V")
  public static void load(String path) {
    missing(path.substring(path.lastIndexOf('/') + 1));
  }

  @Replaces(owner = "java/lang/Runtime", name = "loadLibrary", desc = "(Ljava/lang/String;)V")
  public static void loadLibrary(Runtime runtime, String name) {
    loadLibrary(name);
  }

  @Replaces(owner = "java/lang/Runtime", name = "load", desc = "(Ljava/lang/String;)V")
  public static void load(Runtime runtime, String path) {
    load(path);
  }

  private static void missing(String library) {
    Strand me = Strand.here();
    World world = me != null ? me.world : World.current();
    if (world != null) {
      world.touchNative(library);
      world.note("native library " + library + " cannot run");
    }
  }

  // ---- memory and processors

  @Replaces(owner = "java/lang/System", name = "gc", desc = "()V")
  @Replaces(owner = "java/lang/System", name = "runFinalization", desc = "()V")
  public static void gc() {}

  @Replaces(owner = "java/lang/Runtime", name = "gc", desc = "()V")
  @Replaces(owner = "java/lang/Runtime", name = "runFinalization", desc = "()V")
  public static void gc(Runtime runtime) {}

  @Replaces(owner = "java/lang/Runtime", name = "maxMemory", desc = "()J")
  public static long maxMemory(Runtime runtime) {
    return 192L << 20;
  }

  @Replaces(owner = "java/lang/Runtime", name = "totalMemory", desc = "()J")
  public static long totalMemory(Runtime runtime) {
    return 48L << 20;
  }

  @Replaces(owner = "java/lang/Runtime", name = "freeMemory", desc = "()J")
  public static long freeMemory(Runtime runtime) {
    return 24L << 20;
  }

  @Replaces(owner = "java/lang/Runtime", name = "availableProcessors", desc = "()I")
  public static int availableProcessors(Runtime runtime) {
    return 4;
  }
}
