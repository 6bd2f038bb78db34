package dev.fewtaps.twin.world;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import dev.fewtaps.twin.world.app.LoudQueue;
import java.util.ArrayList;
import java.util.List;
import java.util.TimerTask;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RecursiveTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.AbstractQueuedSynchronizer;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.After;
import org.junit.Test;

public final class ConcurrencyTest {
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

  private void say(String what) {
    log.add(World.current().uptimeMillis() + " " + what);
  }

  private void start(WorldTest.Body body) {
    new WorldThread(
            () -> {
              try {
                body.run();
              } catch (InterruptedException e) {
                say("interrupted");
              }
            })
        .start();
  }

  private List<String> producersAndConsumers(long seed) {
    World world = begin(seed);
    BlockingQueue<Object> queue = new ArrayBlockingQueue<>(2);
    for (int i = 0; i < 3; i++) {
      String name = "p" + i;
      start(
          () -> {
            for (int j = 0; j < 5; j++) {
              QueueHooks.put(queue, name + j);
            }
          });
      start(
          () -> {
            for (int j = 0; j < 5; j++) {
              say(Thread.currentThread().getName() + " " + QueueHooks.take(queue));
            }
          });
    }
    WorldTest.run(world, 5000);
    assertEquals(15, log.size());
    return new ArrayList<>(log);
  }

  @Test
  public void producersAndConsumersMeetInTheSameOrderEachTime() {
    assertEquals(producersAndConsumers(11), producersAndConsumers(11));
    assertNotEquals(producersAndConsumers(11), producersAndConsumers(12));
  }

  @Test
  public void timedPollGivesUp() throws InterruptedException {
    World world = begin(1);
    long before = world.uptimeMillis();
    assertNull(QueueHooks.poll(new LinkedBlockingQueue<>(), 300, TimeUnit.MILLISECONDS));
    assertEquals(300, world.uptimeMillis() - before);
  }

  private List<String> poolRun(long seed) {
    World world = begin(seed);
    ExecutorService pool = PoolHooks.newFixedThreadPool(3);
    for (int i = 0; i < 12; i++) {
      String name = "task" + i;
      pool.execute(() -> say(name + " on " + Thread.currentThread().getName()));
    }
    WorldTest.run(world, 10_000);
    assertEquals(12, log.size());
    return new ArrayList<>(log);
  }

  @Test
  public void poolsAreDeterministic() {
    List<String> first = poolRun(21);
    assertEquals(first, poolRun(21));
    assertNotEquals(first, poolRun(22));
    assertTrue(first.toString().contains("pool-1-thread-1"));
  }

  @Test
  public void mainWaitsForAFuture() throws Exception {
    begin(3);
    ExecutorService pool = PoolHooks.newSingleThreadExecutor();
    Future<String> future = pool.submit(() -> "done");
    assertFalse(future.isDone());
    assertEquals("done", FutureHooks.get(future));
    Future<?> slow =
        pool.submit(
            () -> {
              ThreadHooks.sleep(5000);
              return null;
            });
    assertThrows(TimeoutException.class, () -> FutureHooks.get(slow, 100, TimeUnit.MILLISECONDS));
  }

  @Test
  public void shutdownNowInterruptsTheWorkers() throws InterruptedException {
    World world = begin(3);
    ExecutorService pool = PoolHooks.newFixedThreadPool(2);
    for (int i = 0; i < 3; i++) {
      pool.execute(
          () -> {
            try {
              ThreadHooks.sleep(100_000);
            } catch (InterruptedException e) {
              say("interrupted");
            }
          });
    }
    WorldTest.run(world, 4000);
    assertEquals(1, pool.shutdownNow().size());
    assertTrue(pool.awaitTermination(1, TimeUnit.SECONDS));
    assertEquals(2, log.size());
    assertThrows(RejectedExecutionException.class, () -> pool.execute(() -> {}));
  }

  @Test
  public void cachedPoolReusesItsThreads() {
    World world = begin(3);
    WorldThreadPool pool = (WorldThreadPool) PoolHooks.newCachedThreadPool();
    pool.execute(() -> say("one"));
    WorldTest.run(world, 4000);
    pool.execute(() -> say("two"));
    WorldTest.run(world, 4000);
    assertEquals(2, log.size());
    assertEquals(1, pool.getLargestPoolSize());
    WorldTest.run(world, 70_000);
    assertEquals(0, pool.getPoolSize());
  }

  @Test
  public void invokeAllAndCompletionService() throws Exception {
    begin(3);
    ExecutorService pool = PoolHooks.newFixedThreadPool(4);
    List<Callable<Integer>> tasks = List.of(() -> 1, () -> 2, () -> 3);
    int sum = 0;
    for (Future<Integer> future : pool.invokeAll(tasks)) {
      sum += future.get();
    }
    assertEquals(6, sum);
    assertTrue(pool.invokeAny(tasks) > 0);
    ExecutorCompletionService<Integer> service = new ExecutorCompletionService<>(pool);
    service.submit(() -> 7);
    assertEquals(7, FutureHooks.take(service).get());
  }

  @Test
  public void scheduledPoolFollowsTheVirtualClock() {
    World world = begin(3);
    ScheduledExecutorService pool = PoolHooks.newScheduledThreadPool(1);
    pool.schedule(() -> say("once"), 5, TimeUnit.SECONDS);
    ScheduledFuture<?> often =
        pool.scheduleAtFixedRate(() -> say("often"), 4000, 1000, TimeUnit.MILLISECONDS);
    WorldTest.run(world, 7500);
    assertEquals(List.of("4100 often", "5100 once", "5100 often", "6100 often", "7100 often"), log);
    often.cancel(false);
    WorldTest.run(world, 5000);
    assertEquals(5, log.size());
    pool.shutdown();
    world.runDue();
    assertTrue(pool.isTerminated());
  }

  @Test
  public void timersFollowTheVirtualClock() {
    World world = begin(3);
    WorldTimer timer = new WorldTimer();
    TimerTask task =
        new WorldTimerTask() {
          @Override
          public void run() {
            say(Thread.currentThread().getName());
          }
        };
    timer.schedule(task, 4000, 500);
    WorldTest.run(world, 5200);
    assertEquals(List.of("4100 Timer-0", "4600 Timer-0", "5100 Timer-0"), log);
    assertTrue(task.cancel());
    assertFalse(task.cancel());
    WorldTest.run(world, 5200);
    assertEquals(3, log.size());
    timer.cancel();
    assertThrows(IllegalStateException.class, () -> timer.schedule(task, 1));
    world.runDue();
    assertEquals(Long.MAX_VALUE, world.nextWake());
  }

  @Test
  public void latchesSemaphoresAndBarriers() {
    World world = begin(4);
    CountDownLatch latch = new CountDownLatch(2);
    Semaphore semaphore = new Semaphore(1);
    WorldCyclicBarrier barrier = new WorldCyclicBarrier(2, () -> say("all here"));
    for (int i = 0; i < 2; i++) {
      start(
          () -> {
            LockHooks.acquire(semaphore);
            ThreadHooks.sleep(100);
            semaphore.release();
            latch.countDown();
            try {
              barrier.await();
            } catch (java.util.concurrent.BrokenBarrierException e) {
              throw new AssertionError(e);
            }
            say("passed");
          });
    }
    start(
        () -> {
          LockHooks.await(latch);
          say("latch");
        });
    WorldTest.run(world, 8000);
    assertEquals(4, log.size());
  }

  @Test
  public void locksAndConditions() {
    World world = begin(4);
    ReentrantLock lock = new ReentrantLock();
    Condition condition = LockHooks.newCondition(lock);
    boolean[] flag = new boolean[1];
    start(
        () -> {
          LockHooks.lock(lock);
          try {
            while (!flag[0]) {
              condition.await();
            }
            say("seen");
          } finally {
            lock.unlock();
          }
        });
    start(
        () -> {
          ThreadHooks.sleep(4000);
          LockHooks.lock(lock);
          try {
            flag[0] = true;
            condition.signal();
            ThreadHooks.sleep(1000);
            say("signalled");
          } finally {
            lock.unlock();
          }
        });
    WorldTest.run(world, 10_000);
    assertEquals(2, log.size());
    assertTrue(log.get(0).endsWith("signalled"));
  }

  /** The shape of the futures of older Guava releases. */
  private static final class Sync extends AbstractQueuedSynchronizer {
    @Override
    protected int tryAcquireShared(int ignored) {
      return getState() == 1 ? 1 : -1;
    }

    @Override
    protected boolean tryReleaseShared(int ignored) {
      setState(1);
      return true;
    }
  }

  @Test
  public void synchronizersOfTheAppsOwn() throws InterruptedException {
    World world = begin(4);
    Sync sync = new Sync();
    start(
        () -> {
          LockHooks.acquireSharedInterruptibly(sync, 0);
          say("released");
        });
    start(
        () -> {
          ThreadHooks.sleep(3500);
          sync.releaseShared(0);
        });
    WorldTest.run(world, 8000);
    assertEquals(1, log.size());
    LockHooks.acquireShared(sync, 0);
  }

  @Test
  public void completableFuturesRunOnTheWorldsPool() {
    begin(4);
    CompletableFuture<?> future =
        FutureHooks.supplyAsync(() -> Thread.currentThread() instanceof WorldThread);
    assertEquals(Boolean.TRUE, FutureHooks.join(future));
  }

  private static final class Sum extends RecursiveTask<Integer> {
    private static final long serialVersionUID = 1;
    private final int from;
    private final int to;

    Sum(int from, int to) {
      this.from = from;
      this.to = to;
    }

    @Override
    protected Integer compute() {
      if (to - from == 1) {
        return from;
      }
      Sum left = new Sum(from, (from + to) / 2);
      Sum right = new Sum((from + to) / 2, to);
      FutureHooks.fork(left);
      return (Integer) ForkHooks.invoke(right) + (Integer) ForkHooks.join(left);
    }
  }

  @Test
  public void forkAndJoin() {
    begin(4);
    assertEquals(Integer.valueOf(4950), ForkHooks.commonPool().invoke(new Sum(0, 100)));
  }

  @Test
  public void overriddenTakeIsCalledOnceAndReachesItsParent() throws InterruptedException {
    begin(4);
    LoudQueue queue = new LoudQueue();
    queue.add("x");
    assertEquals("x", QueueHooks.take(queue));
    assertEquals(1, queue.calls);
  }

  @Test
  public void manyThreadsEndTheWayTheyShould() {
    World world = begin(4);
    for (int i = 0; i < 900; i++) {
      start(() -> ThreadHooks.sleep(10_000));
    }
    WorldTest.run(world, 4000);
    assertThrows(
        OutOfMemoryError.class,
        () -> {
          for (int i = 0; i < 200; i++) {
            start(() -> {});
          }
        });
  }

  @Test
  public void aThreadWhoseHashCodeAsksForItsWorldStarts() {
    World world = begin(0);
    int[] hash = new int[1];
    Thread thread =
        new Thread(() -> hash[0] = Hooks.identityHash(new Object())) {
          @Override
          public int hashCode() {
            return Hooks.identityHash(this);
          }
        };
    world.startNow(thread);
    assertTrue(hash[0] != 0);
  }
}
