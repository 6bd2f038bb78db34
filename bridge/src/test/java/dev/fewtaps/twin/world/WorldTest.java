package dev.fewtaps.twin.world;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertSame;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.After;
import org.junit.Test;
import org.junit.function.ThrowingRunnable;

public final class WorldTest {
  private final List<String> log = new ArrayList<>();

  @After
  public void end() {
    World.end();
  }

  private World begin(long seed) {
    log.clear();
    World world = World.begin(seed, Settings.defaults());
    world.mainBegins();
    return world;
  }

  @Test
  public void aWorldOnAnotherDateIsTheSameInAllElse() {
    World world = begin(7);
    long drawn = new WorldRandom().nextLong();
    long wall = world.wallMillis();
    World later = begin((100L << 40) + 7);
    assertEquals(drawn, new WorldRandom().nextLong());
    assertEquals(world.uptimeMillis(), later.uptimeMillis());
    assertEquals(wall + 100 * 86_400_000L, later.wallMillis());
    assertEquals(World.EPOCH_MILLIS + 100 * 86_400_000L, World.epochMillis());
  }

  /** Runs everything up to so many virtual milliseconds from now. */
  static void run(World world, long millis) {
    long end = world.uptimeMillis() + millis;
    for (; ; ) {
      world.runDue();
      long next = world.nextWake();
      if (next > end) {
        world.advanceTo(end);
        world.runDue();
        return;
      }
      world.advanceTo(next);
    }
  }

  private void say(String what) {
    log.add(World.current().uptimeMillis() + " " + what);
  }

  private void start(String name, Body body) {
    new WorldThread(
            () -> {
              try {
                body.run();
              } catch (InterruptedException e) {
                say(name + " interrupted");
              }
            },
            name)
        .start();
  }

  interface Body {
    void run() throws InterruptedException;
  }

  private List<String> fiveSleepers(long seed) {
    World world = begin(seed);
    for (int i = 0; i < 5; i++) {
      String name = "t" + i;
      start(
          name,
          () -> {
            for (int j = 0; j < 3; j++) {
              say(name);
              ThreadHooks.sleep(10);
            }
          });
    }
    assertTrue(log.isEmpty());
    run(world, 5000);
    assertEquals(15, log.size());
    return new ArrayList<>(log);
  }

  @Test
  public void sameWorldGivesTheSameOrder() {
    assertEquals(fiveSleepers(7), fiveSleepers(7));
  }

  @Test
  public void anotherWorldGivesAnotherOrder() {
    assertNotEquals(fiveSleepers(7), fiveSleepers(8));
  }

  @Test
  public void aWorldIsAskedByItsFirstDraw() {
    World world = begin(3);
    world.nanos();
    world.runDue();
    Hooks.identityHash(new Object());
    assertFalse(world.isAsked());
    RandomHooks.random();
    assertTrue(world.isAsked());
    assertFalse(begin(3).isAsked());
  }

  @Test
  public void everySourceOfChanceAsksTheWorld() throws Throwable {
    List<ThrowingRunnable> sources =
        List.of(
            () -> new WorldRandom().nextInt(),
            () -> new WorldSecureRandom().nextInt(),
            RandomHooks::randomUuid,
            RandomHooks::threadLocal,
            () -> RandomHooks.shuffle(new ArrayList<>(List.of(1, 2))),
            () -> start("a", () -> {}),
            () -> World.current().network.answer("GET", "http://example.com/", "*/*"),
            () -> FileHooks.readPath("/dev/urandom"));
    for (int i = 0; i < sources.size(); i++) {
      World world = begin(3);
      sources.get(i).run();
      assertTrue("source " + i, world.isAsked());
    }
  }

  @Test
  public void threadsAreNotStartedBeforeTheirDelay() {
    World world = begin(3);
    start("a", () -> say("a"));
    assertFalse(world.runDue());
    assertTrue(world.nextWake() > world.uptimeMillis());
    run(world, 3100);
    assertEquals(1, log.size());
    assertEquals(Long.MAX_VALUE, world.nextWake());
  }

  @Test
  public void delaysAreShortOrLong() {
    World world = begin(0);
    int longOnes = 0;
    for (int i = 0; i < 1000; i++) {
      long delay = world.startDelay();
      assertTrue((delay >= 1 && delay <= 40) || (delay >= 300 && delay <= 3000));
      longOnes += delay >= 300 ? 1 : 0;
    }
    assertTrue(longOnes > 200 && longOnes < 300);
  }

  @Test
  public void waitersAreWokenByNotify() {
    World world = begin(1);
    Object lock = new Object();
    boolean[] full = new boolean[1];
    start(
        "consumer",
        () -> {
          synchronized (lock) {
            while (!full[0]) {
              ThreadHooks.await(lock);
            }
          }
          say("got it");
        });
    run(world, 4000);
    assertTrue(log.isEmpty());
    start(
        "producer",
        () -> {
          synchronized (lock) {
            full[0] = true;
            ThreadHooks.notifyEvery(lock);
            say("made it");
          }
        });
    run(world, 4000);
    assertEquals(2, log.size());
    assertTrue(log.get(0).endsWith("made it"));
  }

  @Test
  public void timedWaitEndsByItself() {
    World world = begin(1);
    Object lock = new Object();
    start(
        "w",
        () -> {
          synchronized (lock) {
            long before = TimeHooks.currentTimeMillis();
            ThreadHooks.await(lock, 250);
            say("after " + (TimeHooks.currentTimeMillis() - before));
          }
        });
    run(world, 4000);
    assertTrue(log.get(0).endsWith("after 250"));
  }

  @Test
  public void waitKeepsAnInterruptionApartFromTheGrant() {
    World world = begin(1);
    Object lock = new Object();
    WorldThread[] thread = new WorldThread[1];
    thread[0] =
        new WorldThread(
            () -> {
              synchronized (lock) {
                try {
                  ThreadHooks.await(lock);
                  say("woken");
                } catch (InterruptedException e) {
                  say("interrupted " + ThreadHooks.isInterrupted(thread[0]));
                }
              }
            });
    thread[0].start();
    run(world, 4000);
    ThreadHooks.interrupt(thread[0]);
    assertTrue(ThreadHooks.isInterrupted(thread[0]));
    run(world, 10);
    assertTrue(log.get(0), log.get(0).endsWith("interrupted false"));
    assertFalse(ThreadHooks.isAlive(thread[0]));
  }

  @Test
  public void mainWaitRunsTheOthersAndFreesTheMonitor() throws InterruptedException {
    World world = begin(5);
    Object lock = new Object();
    boolean[] done = new boolean[1];
    start(
        "helper",
        () -> {
          ThreadHooks.sleep(100);
          synchronized (lock) {
            done[0] = true;
            ThreadHooks.notifyOne(lock);
          }
        });
    long before = world.uptimeMillis();
    synchronized (lock) {
      while (!done[0]) {
        ThreadHooks.await(lock);
      }
    }
    assertTrue(world.uptimeMillis() - before >= 100);
    assertFalse(Thread.interrupted());
  }

  @Test
  public void mainJoinsAThread() throws InterruptedException {
    World world = begin(5);
    WorldThread thread = new WorldThread(() -> say("ran"));
    thread.start();
    assertTrue(ThreadHooks.isAlive(thread));
    ThreadHooks.join(thread);
    assertEquals(1, log.size());
    assertFalse(ThreadHooks.isAlive(thread));
    assertEquals(Thread.State.TERMINATED, ThreadHooks.getState(thread));
  }

  @Test
  public void waitingForNothingIsAnAnr() {
    World world = begin(5);
    Object lock = new Object();
    synchronized (lock) {
      assertThrows(MainThreadHangs.class, () -> ThreadHooks.await(lock));
    }
    assertNotNull(world.hangs());
  }

  @Test
  public void longSleepOfTheMainThreadIsAnAnr() throws InterruptedException {
    World world = begin(5);
    ThreadHooks.sleep(4000);
    world.mainBegins();
    ThreadHooks.sleep(9000);
    assertThrows(MainThreadHangs.class, () -> ThreadHooks.sleep(4000));
    assertNotNull(world.hangs());
    assertEquals(100 + 4000 + 10_000, world.uptimeMillis());
  }

  @Test
  public void endlessLoopOfTheMainThreadIsAnAnr() {
    World world = begin(5);
    assertThrows(
        MainThreadHangs.class,
        () -> {
          for (; ; ) {
            Hooks.tick();
          }
        });
    assertNotNull(world.hangs());
  }

  @Test
  public void turnsAreCountedAndTooManyEndTheRun() {
    World world = begin(5);
    for (int i = 0; i < 250_000; i++) {
      Hooks.tick();
    }
    assertEquals(250_000, world.turns());
    assertFalse(world.isEndless());
    world.limitTurns(600_000);
    int[] more = new int[1];
    assertThrows(
        MainThreadHangs.class,
        () -> {
          for (; ; more[0]++) {
            Hooks.tick();
          }
        });
    assertTrue(world.isEndless());
    assertTrue("stopped after " + more[0], more[0] < 460_000);
  }

  @Test
  public void tooManyTurnsOfABackgroundThreadEndTheRun() {
    World world = begin(5);
    world.limitTurns(300_000);
    start(
        "spinner",
        () -> {
          for (; ; ) {
            Hooks.tick();
          }
        });
    run(world, 20_000);
    assertTrue(world.isEndless());
    assertTrue(world.halted());
  }

  @Test
  public void mainSpinningOnAFlagSeesItChange() {
    World world = begin(5);
    boolean[] flag = new boolean[1];
    start(
        "setter",
        () -> {
          ThreadHooks.sleep(50);
          flag[0] = true;
        });
    while (!flag[0]) {
      Hooks.tick();
    }
    assertNull(world.hangs());
  }

  @Test
  public void mainSpinningOnTheClockSeesItMove() {
    World world = begin(5);
    long end = TimeHooks.currentTimeMillis() + 300;
    while (TimeHooks.currentTimeMillis() < end) {
      Hooks.tick();
    }
    assertNull(world.hangs());
  }

  @Test
  public void endlessBackgroundLoopIsParked() {
    World world = begin(5);
    start(
        "spinner",
        () -> {
          for (; ; ) {
            Hooks.tick();
          }
        });
    run(world, 20_000);
    assertEquals(Long.MAX_VALUE, world.nextWake());
    assertEquals(List.of("the background thread spinner works without end"), world.notes());
    assertTrue(world.notes().isEmpty());
  }

  @Test
  public void threadsOfAnEndedWorldDie() throws InterruptedException {
    World world = begin(5);
    List<WorldThread> threads = new ArrayList<>();
    Object lock = new Object();
    Body[] bodies = {
      () -> ThreadHooks.sleep(1_000_000),
      () -> ThreadHooks.park(),
      () -> {
        synchronized (lock) {
          ThreadHooks.await(lock);
        }
      },
      () -> {
        for (; ; ) {
          Hooks.tick();
        }
      },
    };
    for (Body body : bodies) {
      WorldThread thread =
          new WorldThread(
              () -> {
                try {
                  body.run();
                } catch (InterruptedException e) {
                  throw new AssertionError(e);
                }
              });
      threads.add(thread);
      thread.start();
    }
    run(world, 3500);
    World.end();
    for (WorldThread thread : threads) {
      thread.join(2000);
      assertEquals(Thread.State.TERMINATED, thread.getState());
    }
    assertNull(world.crash());
  }

  @Test
  public void hooksOfAnEndedWorldThrow() throws InterruptedException {
    World world = begin(5);
    boolean[] threw = new boolean[1];
    WorldThread thread =
        new WorldThread(
            () -> {
              try {
                ThreadHooks.sleep(1000);
              } catch (WorldEnded e) {
                try {
                  TimeHooks.currentTimeMillis();
                } catch (WorldEnded again) {
                  threw[0] = true;
                }
              } catch (InterruptedException e) {
                throw new AssertionError(e);
              }
            });
    thread.start();
    while (thread.getState() == Thread.State.NEW) {
      world.advanceTo(world.nextWake());
      world.runDue();
    }
    begin(6);
    thread.join(2000);
    assertTrue(threw[0]);
  }

  @Test
  public void uncaughtExceptionIsACrash() {
    World world = begin(5);
    RuntimeException error = new IllegalStateException("x");
    new WorldThread(
            () -> {
              throw error;
            },
            "bad")
        .start();
    run(world, 3500);
    assertSame(error, world.crash().error());
    assertEquals("bad", world.crash().thread().getName());
    assertTrue(world.halted());
  }

  @Test
  public void ownHandlerTakesTheException() {
    World world = begin(5);
    ThreadHooks.setDefaultHandler((thread, error) -> say("default " + error.getMessage()));
    start(
        "bad",
        () -> {
          throw new IllegalStateException("x");
        });
    WorldThread other =
        new WorldThread(
            () -> {
              throw new IllegalStateException("y");
            });
    ThreadHooks.setHandler(other, (thread, error) -> say("own " + error.getMessage()));
    other.start();
    run(world, 3500);
    assertNull(world.crash());
    assertEquals(2, log.size());
    assertTrue(log.toString().contains("default x") && log.toString().contains("own y"));
  }

  @Test
  public void handlerThatPassesOnIsACrash() {
    World world = begin(5);
    Thread.UncaughtExceptionHandler before = ThreadHooks.getDefaultHandler();
    ThreadHooks.setDefaultHandler(
        (thread, error) -> {
          say("report");
          before.uncaughtException(thread, error);
        });
    start(
        "bad",
        () -> {
          throw new IllegalStateException("x");
        });
    run(world, 3500);
    assertNotNull(world.crash());
    assertEquals(1, log.size());
  }

  @Test
  public void exitEndsTheAppOnly() {
    World world = begin(5);
    start("quitter", () -> Hooks.exit(3));
    run(world, 3500);
    assertEquals(Integer.valueOf(3), world.exit());
    assertNull(world.crash());
  }

  @Test
  public void interruptionOfTheWorldBeforeIsForgotten() {
    begin(1);
    Thread.currentThread().interrupt();
    begin(2);
    assertFalse(Thread.currentThread().isInterrupted());
  }

  @Test
  public void monitorHeldByASleeperPassesTheTokenOn() {
    World world = begin(5);
    Object lock = new Object();
    start(
        "holder",
        () -> {
          synchronized (lock) {
            say("holder in");
            ThreadHooks.sleep(5000);
            say("holder out");
          }
        });
    run(world, 3100);
    start(
        "wanter",
        () -> {
          synchronized (lock) {
            say("wanter in");
          }
          ThreadHooks.sleep(1);
          say("wanter out");
        });
    start("free", () -> say("free"));
    run(world, 9000);
    List<String> words = new ArrayList<>();
    for (String line : log) {
      words.add(line.substring(line.indexOf(' ') + 1));
    }
    assertEquals(List.of("holder in", "free", "holder out", "wanter in", "wanter out"), words);
  }

  @Test
  public void monitorHeldByASleeperBlocksTheMainThreadOnlyVirtually() {
    World world = begin(5);
    Object lock = new Object();
    start(
        "holder",
        () -> {
          synchronized (lock) {
            ThreadHooks.sleep(3000);
          }
        });
    run(world, 2900);
    world.mainBegins();
    synchronized (lock) {
      say("main");
    }
    ThreadHooks.yield();
    assertNull(world.hangs());
    assertEquals(1, log.size());
  }

  @Test
  public void mainThreadFreedOnABusyMachineIsNoAnr() throws Exception {
    AtomicBoolean over = new AtomicBoolean();
    for (int i = 0; i < 2 * Runtime.getRuntime().availableProcessors(); i++) {
      Thread busy = new Thread(() -> spinUntil(over));
      busy.setDaemon(true);
      busy.start();
    }
    try {
      for (int i = 0; i < 8; i++) {
        World world = begin(i);
        FutureTask<String> work = new FutureTask<>(() -> "done");
        start(
            "worker",
            () -> {
              ThreadHooks.sleep(50);
              work.run();
            });
        assertEquals("done", work.get()); // Really waits, as the framework does for its own tasks.
        assertNull(world.hangs());
        World.end();
      }
    } finally {
      over.set(true);
    }
  }

  private static void spinUntil(AtomicBoolean over) {
    while (!over.get()) {
      Thread.onSpinWait();
    }
  }

  @Test
  public void monitorNeverFreedIsAnAnrThatUnwinds() {
    World world = begin(5);
    Object lock = new Object();
    start(
        "holder",
        () -> {
          synchronized (lock) {
            for (; ; ) {
              ThreadHooks.sleep(1000);
            }
          }
        });
    run(world, 3500);
    world.mainBegins();
    MainThreadHangs hang =
        assertThrows(
            MainThreadHangs.class,
            () -> {
              synchronized (lock) {
                TimeHooks.currentTimeMillis();
              }
            });
    assertEquals("the main thread is stuck in a lock or a wait", world.hangs());
    assertTrue(hang.getStackTrace()[0].getClassName().startsWith(WorldTest.class.getName()));
  }

  @Test
  public void parkAndUnpark() {
    World world = begin(5);
    WorldThread thread =
        new WorldThread(
            () -> {
              ThreadHooks.park();
              say("unparked");
              ThreadHooks.parkNanos(5_000_000);
              say("later");
            });
    thread.start();
    run(world, 3100);
    ThreadHooks.unpark(thread);
    world.runDue();
    assertEquals(1, log.size());
    run(world, 5);
    assertEquals(2, log.size());
  }

  @Test
  public void adoptedThreadsRunWhenReady() throws InterruptedException {
    World world = begin(5);
    List<String> queue = new ArrayList<>();
    Thread looper =
        new Thread(
            () -> {
              for (; ; ) {
                world.blockUntil(() -> !queue.isEmpty(), Long.MAX_VALUE);
                say(queue.remove(0));
              }
            });
    world.expectArrival(looper);
    looper.start();
    world.runDue();
    queue.add("one");
    assertTrue(world.runDue());
    queue.add("two");
    assertTrue(world.runDue());
    assertFalse(world.runDue());
    assertEquals(List.of("100 one", "100 two"), log);
    World.end();
    looper.join(2000);
    assertFalse(looper.isAlive());
  }

  @Test
  public void frameworkThreadsStartAtOnce() {
    World world = begin(5);
    boolean[] prepared = new boolean[1];
    Thread looper =
        new Thread(
            () -> {
              prepared[0] = true;
              world.blockUntil(() -> false, Long.MAX_VALUE);
            });
    ThreadHooks.start(looper);
    assertTrue(prepared[0]);
  }

  @Test
  public void randomNumbersFollowFromTheWorld() {
    Set<String> seen = new HashSet<>();
    for (int i = 0; i < 2; i++) {
      begin(9);
      seen.add(
          new WorldRandom().nextInt()
              + " "
              + RandomHooks.random()
              + " "
              + RandomHooks.randomUuid()
              + " "
              + new WorldSecureRandom().nextLong()
              + " "
              + RandomHooks.threadLocal().nextLong());
    }
    assertEquals(1, seen.size());
    assertEquals(4, RandomHooks.randomUuid().version());
    assertEquals(new Random(4).nextInt(), new WorldRandom(4).nextInt());
  }

  @Test
  public void namesAndHashesFollowFromTheWorld() {
    Set<String> seen = new HashSet<>();
    for (int i = 0; i < 2; i++) {
      begin(9);
      Object a = new Object();
      seen.add(new WorldThread().getName() + Hooks.identityHash(a) + Hooks.identityHash(log));
      assertEquals(Hooks.identityHash(a), Hooks.identityHash(a));
    }
    assertEquals(1, seen.size());
  }

  @Test
  public void outsideOfAWorldHooksAreTheOriginals() throws InterruptedException {
    begin(1);
    long[] time = new long[1];
    Thread outsider = new Thread(() -> time[0] = TimeHooks.currentTimeMillis());
    outsider.start();
    outsider.join();
    assertTrue(Math.abs(time[0] - System.currentTimeMillis()) < 60_000);
  }
}
