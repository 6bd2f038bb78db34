package dev.fewtaps.twin.world;

import java.lang.Thread.UncaughtExceptionHandler;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TimeZone;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * One run of an app: its clock, its chance, its threads and what it tried.
 *
 * <p>Everything that an app may not control follows from the world's number and the events. The
 * main thread drives: after an event it calls {@link #runDue}, {@link #nextWake} and {@link
 * #advanceTo} until the app is quiet. All other methods are called on it too, unless they say
 * otherwise.
 */
public final class World {
  /** Events that the Android side reacts to, reported on the thread where they happen. */
  public interface Listener {
    /** The virtual clock shows so many milliseconds of uptime. */
    default void onAdvance(long uptimeMillis) {}

    /** A thread died of an exception that nothing caught. */
    default void onCrash(Thread thread, Throwable error) {}

    /** An exception reached a thread's end, whether or not a handler of the app takes it. */
    default void onUncaught(Thread thread, Throwable error) {}

    /** The app asked for the end of its process. */
    default void onExit(int status) {}

    /** The main thread no longer answers. */
    default void onHang(String reason) {}
  }

  /** Something that the world decided: what, at which uptime, and from which uptime on it holds. */
  public record Decision(String what, long atMillis, long dueMillis) {}

  /** An exception that ended a thread. */
  public record Crash(Thread thread, Throwable error) {}

  /**
   * 2026-01-05T09:00:00Z, the wall clock's time at uptime zero. It is a Monday: with a longer name
   * of the day, lines that hold a date would break where those of most recordings did not.
   */
  public static final long EPOCH_MILLIS = 1767603600000L;

  /** The bits of a world's number above these count days by which its wall clock is ahead. */
  private static final int DATE_BITS = 40;

  private static final long DAY_MILLIS = 86_400_000L;

  private static volatile World current;
  private static UncaughtExceptionHandler outside;
  private static final UncaughtExceptionHandler DISPATCHER = World::dispatch;

  final long seed;
  private volatile long epoch;
  private volatile boolean full;
  final Settings settings;
  final Scheduler scheduler = new Scheduler(this);
  final Pump pump = new Pump(this);
  final Network network = new Network(this);
  final HostPaths paths;
  final OpenFiles openFiles = new OpenFiles();
  final Map<String, long[]> fileTimes = new HashMap<>();
  final Identities identities = new Identities();
  final Map<String, String> properties = new HashMap<>();

  /** Threads that stand in Object.wait, in the order of their coming. */
  final List<Strand> waiters = new ArrayList<>();

  /** Things of which each world has one, such as the common pool, by key. */
  final Map<Object, Object> singletons = new HashMap<>();

  final Decisions decisions = new Decisions();
  private volatile List<Served> served = List.of();
  private volatile java.util.function.Supplier<ReadField.All> reads = () -> ReadField.All.NONE;
  private final AtomicIntegerArray counters = new AtomicIntegerArray(16);
  private final List<String> notes = new ArrayList<>();
  private final Set<String> noted = new HashSet<>();
  private final Locale outsideLocale = Locale.getDefault();
  private final TimeZone outsideZone = TimeZone.getDefault();

  volatile Strand main;
  volatile boolean ended;

  /** Says that background threads have to die, at the end or to set a stuck main thread free. */
  volatile boolean dying;

  volatile boolean inEvent;
  volatile long standstill;

  /** Processor time of the main thread when it was first seen at work in this event. */
  long workBegan = Long.MIN_VALUE;

  /** Whether that was after the file of a recording was full. */
  boolean workIsUnrecorded;

  private volatile long uptime;
  private long nanoReads;
  private volatile boolean asked;
  private volatile Listener listener = new Listener() {};
  private volatile Runnable mainNetworkCheck;
  private volatile UncaughtExceptionHandler defaultHandler;
  private volatile Crash crash;
  private volatile Integer exit;
  private volatile String hang;
  private volatile StackTraceElement[] hangStack = {};
  private volatile String touchedNative;
  private volatile boolean endless;
  private volatile long turns;
  private volatile long turnsLimit = Long.MAX_VALUE;

  private World(long number, Settings settings) {
    // A world on another date is the same world in all else.
    this.seed = number < 0 ? number : number & ((1L << DATE_BITS) - 1);
    this.epoch = settings.epochMillis() + (number < 0 ? 0 : (number >>> DATE_BITS) * DAY_MILLIS);
    this.settings = settings;
    this.paths = new HostPaths(this);
    this.uptime = settings.bootMillis();
  }

  // ---- life

  /** Ends the world before, if any, and begins a new one with this thread as its main thread. */
  public static World begin(long seed, Settings settings) {
    end();
    Thread.interrupted(); // An interrupt of the world before must not reach this one.
    World world = new World(seed, settings);
    world.bindMain();
    Locale.setDefault(Locale.forLanguageTag(settings.locale()));
    TimeZone.setDefault(TimeZone.getTimeZone(settings.timeZone()));
    UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
    if (before != DISPATCHER) {
      outside = before;
      Thread.setDefaultUncaughtExceptionHandler(DISPATCHER);
    }
    Hooks.fuel = Hooks.CHUNK;
    NetHooks.lookUpNothing();
    current = world;
    world.pump.start();
    return world;
  }

  /** What of a world goes on in the next process of the app: its clock, its chance, its files. */
  public static final class Continued {
    private final World from;
    private final long turns;

    private Continued(World from) {
      this.from = from;
      this.turns = from.turns();
    }
  }

  /** Returns what goes on after this world has ended. */
  public Continued continued() {
    return new Continued(this);
  }

  /** Begins a world that goes on where another one has ended, with the threads of a new process. */
  public static World beginAgain(Continued continued, Settings settings) {
    World from = continued.from;
    World world = begin(from.seed, settings);
    world.epoch = from.epoch;
    world.full = from.full;
    world.uptime = from.uptime;
    for (int stream = 0; stream < THREAD_NUMBERS; stream++) {
      world.counters.set(stream, from.counters.get(stream));
    }
    world.fileTimes.putAll(from.fileTimes);
    world.decisions.addAll(from.decisions);
    world.noted.addAll(from.noted);
    world.asked = from.asked;
    world.touchedNative = from.touchedNative;
    world.turns = continued.turns;
    world.turnsLimit = from.turnsLimit;
    return world;
  }

  /** Ends the current world, if any: its threads die, and whatever survives can only throw. */
  public static void end() {
    World world = current;
    if (world == null) {
      return;
    }
    current = null;
    world.ended = true;
    world.dying = true;
    world.scheduler.killAll();
    world.singletons.clear();
    world.identities.clear();
    world.openFiles.closeAll();
    Locale.setDefault(world.outsideLocale);
    TimeZone.setDefault(world.outsideZone);
  }

  /** Returns the world of the present run, or null between runs. */
  public static World current() {
    return current;
  }

  /** Makes this thread the main thread of the world. */
  public void bindMain() {
    Strand strand = new Strand(this, Thread.currentThread(), 1, true);
    strand.state = Strand.State.RUNNING;
    strand.kernel = KernelThread.ofThisThread();
    Strand.bind(strand);
    main = strand;
  }

  /** Sets the listener. */
  public void setListener(Listener to) {
    listener = to;
  }

  /** The world's number. */
  public long seed() {
    return seed;
  }

  // ---- time

  /** Milliseconds since the phone started, in virtual time. */
  public long uptimeMillis() {
    return uptime;
  }

  long now() {
    return uptime;
  }

  /** The wall clock. */
  public long wallMillis() {
    return epoch + uptime;
  }

  /**
   * Sets the wall clock, as a user or a network does; what waits for a moment of it waits as long.
   */
  public void shiftClock(long millis) {
    epoch += millis;
  }

  /** Uses up the phone's storage: from now on nothing can be written to it. */
  public void fillStorage() {
    full = true;
  }

  /** Whether the phone has no storage left. */
  public boolean isFull() {
    return full;
  }

  /** The wall clock's time at uptime zero in the current world. */
  public static long epochMillis() {
    World world = current;
    return world == null ? EPOCH_MILLIS : world.epoch;
  }

  /**
   * Nanoseconds for System.nanoTime: a microsecond goes by with each look, up to the next advance.
   */
  public long nanos() {
    if (nanoReads < 999) {
      nanoReads++;
    }
    return uptime * 1_000_000L + nanoReads * 1000;
  }

  /** Moves the clock forward; going back is ignored. */
  public void advanceTo(long millis) {
    refill();
    moveTo(millis);
  }

  void moveTo(long millis) {
    if (millis <= uptime) {
      return;
    }
    uptime = millis;
    nanoReads = 0;
    scheduler.changed();
    listener.onAdvance(millis);
  }

  // ---- driving

  /**
   * Runs every background thread that is ready at the present virtual time, one at a time, in an
   * order of the seed, each until it blocks, sleeps or ends; returns whether anything ran.
   */
  public boolean runDue() {
    refill();
    return scheduler.runDue();
  }

  /** Virtual time at which the next background thread has something to do, or Long.MAX_VALUE. */
  public long nextWake() {
    return scheduler.nextWake();
  }

  /** Says that the main thread starts to handle an event: its budgets are full again. */
  public void mainBegins() {
    refill();
    inEvent = true;
  }

  /** Gives the main thread its budgets back: it runs the driver's code, not the app's. */
  private void refill() {
    turned(Math.max(0, Hooks.CHUNK - Hooks.fuel));
    standstill = 0;
    main.chunks = 0;
    main.clockReads = 0;
    Hooks.fuel = Hooks.CHUNK;
    workBegan = Long.MIN_VALUE;
    workIsUnrecorded = false;
  }

  /** Says that the main thread has handled its event. */
  public void mainEnds() {
    inEvent = false;
  }

  /** Says whether the run is over for the app: crashed, exited, hung or ended. */
  public boolean halted() {
    return ended || crash != null || exit != null || hang != null;
  }

  /** Returns what unwinds a thread of a run that is over. */
  Error ending() {
    Integer status = exit;
    if (status != null) {
      return new AppExited(status);
    }
    String reason = hang;
    if (reason == null) {
      return new WorldEnded();
    }
    MainThreadHangs error = new MainThreadHangs(reason);
    error.setStackTrace(hangStack);
    return error;
  }

  /** Says what to run before the main thread uses the network; it may throw, as Android does. */
  public void setMainNetworkCheck(Runnable check) {
    mainNetworkCheck = check;
  }

  void checkMainNetwork() {
    Runnable check = mainNetworkCheck;
    if (check != null) {
      check.run();
    }
  }

  // ---- threads of the framework

  /**
   * Blocks this thread, of whatever origin, until it is ready or the deadline (uptime) has come;
   * returns whether it is ready. A thread that belonged to no world belongs to the current one from
   * now on.
   */
  public boolean blockUntil(BooleanSupplier ready, long deadlineMillis) {
    return blockUntil(ready, deadlineMillis, false);
  }

  /**
   * As blockUntil, but each wake-up is delayed as the start of a thread is: for background loopers.
   */
  public boolean blockLooper(BooleanSupplier ready, long deadlineMillis) {
    return blockUntil(ready, deadlineMillis, true);
  }

  private boolean blockUntil(BooleanSupplier ready, long deadlineMillis, boolean looper) {
    Strand strand = Strand.here();
    if (strand == null) {
      strand = scheduler.add(Thread.currentThread(), null);
      strand.looper = looper;
      Strand.bind(strand);
    }
    strand.looper = looper && !strand.main;
    strand.world.scheduler.blockAdopted(strand, ready, deadlineMillis);
    strand.looper = false;
    return ready.getAsBoolean();
  }

  /**
   * Announces that a thread of the framework will soon block in this world: the driver waits for
   * it.
   */
  public void expectArrival(Thread thread) {
    if (scheduler.of(thread) == null) {
      Strand strand = scheduler.add(thread, null);
      strand.state = Strand.State.RUNNING;
      strand.expected = true;
      Strand.expect(strand);
    }
  }

  /** Starts a thread that is not of the app's making and runs it until it first blocks. */
  public void startNow(Thread thread) {
    scheduler.startNow(scheduler.add(thread, thread::start));
  }

  /** Says whether a thread belongs to this world. */
  public boolean owns(Thread thread) {
    return scheduler.of(thread) != null;
  }

  // ---- chance

  long draw(long stream) {
    return draw(stream, counters.getAndIncrement((int) stream));
  }

  /** Draws what the seed has for an ordinal of a stream. All draws from the seed come here. */
  long draw(long stream, long ordinal) {
    asked = true;
    return Draw.bits(seed, stream, ordinal);
  }

  /**
   * Says whether anything was drawn from the seed since the beginning; from any thread. Until then
   * the run is the same in every world.
   */
  public boolean isAsked() {
    return asked;
  }

  /** Draws how long started work waits before it runs: mostly short, one time in four long. */
  public long startDelay() {
    long bits = draw(Draw.START);
    long delay = (bits & 3) == 0 ? 300 + Draw.below(bits, 2701) : 1 + Draw.below(bits, 40);
    decisions.begins(uptime, delay);
    return delay;
  }

  /** Leaves out a number, so that the next delay is the one it would have been after a draw. */
  void skipStartDelay() {
    counters.getAndIncrement((int) Draw.START);
  }

  /**
   * Returns what was decided about background work since the beginning, in order; not all if that
   * is very much.
   */
  public List<Decision> decisions() {
    return decisions.all();
  }

  /**
   * Decides between so many answers of another app, the first of which are the ordinary ones. The
   * first decision of world 0 is the first answer.
   */
  public int choice(int answers) {
    int ordinal = counters.getAndIncrement((int) Draw.NEIGHBOUR);
    long bits = draw(Draw.NEIGHBOUR, ordinal);
    return ordinal == 0 && seed == 0 ? 0 : Draw.below(bits, answers);
  }

  /**
   * Decides between so many states of what is around the phone, the first of which are the ordinary
   * ones. World 0 has the first.
   */
  public int place(int states) {
    long bits = draw(Draw.SURROUNDINGS);
    return seed == 0 ? 0 : Draw.below(bits, states);
  }

  /** Lets servers answer with what the user recorded or specified, in this order. */
  public void serve(List<Served> answers) {
    served = List.copyOf(answers);
  }

  /** Says where to find out, when a server answers, what the app reads of JSON. */
  public void setReads(java.util.function.Supplier<ReadField.All> source) {
    reads = source;
  }

  /** What the app's code reads of JSON. */
  ReadField.All reads() {
    return reads.get();
  }

  List<Served> served() {
    return served;
  }

  /** Returns the next seed for a source of random numbers. */
  public long randomSeed() {
    return draw(Draw.RANDOM);
  }

  private static final int THREAD_NUMBERS = 8;
  private static final int THREAD_NAMES = 9;
  private static final int POOL_NAMES = 10;
  private static final int TIMER_NAMES = 11;

  int nextThreadNumber() {
    return 2 + counters.getAndIncrement(THREAD_NUMBERS);
  }

  int nextThreadName() {
    return counters.getAndIncrement(THREAD_NAMES);
  }

  int nextPoolName() {
    return 1 + counters.getAndIncrement(POOL_NAMES);
  }

  int nextTimerName() {
    return counters.getAndIncrement(TIMER_NAMES);
  }

  // ---- what happened

  /** Keeps one line for the user, once per world; from any thread. */
  public void note(String line) {
    String clean = line.replaceAll("\\s+", " ").trim();
    synchronized (notes) {
      if (noted.size() < 500 && noted.add(clean)) {
        notes.add(clean);
      }
    }
  }

  /** Returns the notes since the last call, in order, no line twice in a world. */
  public List<String> notes() {
    synchronized (notes) {
      List<String> drained = new ArrayList<>(notes);
      notes.clear();
      return drained;
    }
  }

  /** Returns the crash of the run, or null. */
  public Crash crash() {
    return crash;
  }

  /** Returns the status with which the app exited, or null. */
  public Integer exit() {
    return exit;
  }

  // ---- loops

  /** Sets how many turns the loops of the app may take in this run until it counts as hung. */
  public void limitTurns(long limit) {
    turnsLimit = limit;
  }

  /**
   * How many turns the loops of the app have taken: jumps back in its code. Background threads are
   * counted in units of {@link Hooks#CHUNK}. To be called between events.
   */
  public long turns() {
    return turns + Math.max(0, Hooks.CHUNK - Hooks.fuel);
  }

  void turned(long more) {
    turns += more;
  }

  boolean isOutOfTurns() {
    return turns > turnsLimit;
  }

  /** Whether the run ended because a loop took too many turns. */
  public boolean isEndless() {
    return endless;
  }

  /** Declares the app hung in a loop; returns the error that unwinds the main thread. */
  MainThreadHangs endless(String reason) {
    endless = true;
    return hang(reason);
  }

  /** Returns why the main thread hangs, or null. */
  public String hangs() {
    return hang;
  }

  /** A thread that asks for its own stack sees itself asking. */
  private static StackTraceElement[] withoutAsking(StackTraceElement[] stack) {
    boolean asks = stack.length > 0 && stack[0].getMethodName().equals("getStackTrace");
    return asks ? Arrays.copyOfRange(stack, 1, stack.length) : stack;
  }

  /** Returns where the main thread stood when it was found to hang, innermost frame first. */
  public StackTraceElement[] hangStack() {
    return hangStack;
  }

  /** Returns the first native library or method that the app needed and the twin lacks, or null. */
  public String touchedNative() {
    return touchedNative;
  }

  void touchNative(String name) {
    if (touchedNative == null) {
      touchedNative = name;
    }
  }

  /** Declares the main thread hung; returns the error that unwinds it. */
  public MainThreadHangs anr(String reason) {
    return hang(reason);
  }

  MainThreadHangs hang(String reason) {
    if (hang == null) {
      hangStack = withoutAsking(main.thread.getStackTrace());
      hang = reason;
      listener.onHang(reason);
    }
    return new MainThreadHangs(reason);
  }

  AppExited exited(int status) {
    if (exit == null && crash == null) {
      exit = status;
      listener.onExit(status);
    }
    return new AppExited(status);
  }

  /** Declares the app crashed; only the first crash of a world counts. */
  public void crash(Thread thread, Throwable error) {
    if (!ended && crash == null && exit == null) {
      crash = new Crash(thread, error);
      listener.onCrash(thread, error);
    }
  }

  /**
   * Does what Android does with an exception that ended a thread: the thread's handler, else the
   * app's default handler, else a crash. The Android side calls this for the main thread.
   */
  public void uncaught(Thread thread, Throwable error) {
    if (ended || isOurs(error)) {
      return;
    }
    Recorder.failed();
    listener.onUncaught(thread, error);
    Strand strand = scheduler.of(thread);
    UncaughtExceptionHandler handler =
        thread instanceof WorldThread
            ? ((WorldThread) thread).ownHandler()
            : strand == null ? null : strand.handler;
    if (handler == null) {
      handler = defaultHandler;
    }
    if (handler == null) {
      crash(thread, error);
      return;
    }
    try {
      handler.uncaughtException(thread, error);
    } catch (AppExited | WorldEnded e) {
      return;
    } catch (Throwable e) {
      crash(thread, e);
    }
    if (!halted()) {
      if (strand != null && strand.main) {
        crash(thread, error);
      } else {
        note("the app's own handler swallowed " + error + " in thread " + thread.getName());
      }
    }
  }

  /** Says whether an error is one with which a world unwinds threads. */
  public static boolean isOurs(Throwable error) {
    for (Throwable e : Causes.of(error)) {
      if (e instanceof WorldEnded || e instanceof AppExited || e instanceof MainThreadHangs) {
        return true;
      }
    }
    return false;
  }

  UncaughtExceptionHandler defaultHandler() {
    return defaultHandler != null ? defaultHandler : this::crash;
  }

  void setDefaultHandler(UncaughtExceptionHandler to) {
    defaultHandler = to;
  }

  private static void dispatch(Thread thread, Throwable error) {
    Strand strand = Strand.current();
    if (strand != null) {
      strand.world.uncaught(thread, error);
    } else if (outside != null) {
      outside.uncaughtException(thread, error);
    } else if (!isOurs(error)) {
      System.err.print("Exception in thread \"" + thread.getName() + "\" ");
      error.printStackTrace();
    }
  }

  /** Waits in real time until no background thread of the world is lost or expected; for tests. */
  void settle() {
    while (scheduler.strands().stream().anyMatch(strand -> strand.expected)) {
      LockSupport.parkNanos(100_000);
    }
  }
}
