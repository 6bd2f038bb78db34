package dev.fewtaps.twin.world;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

/** The factories of pools. */
public final class PoolHooks {
  private static final String EXECUTORS = "java/util/concurrent/Executors";

  private PoolHooks() {}

  @Replaces(
      owner = EXECUTORS,
      name = "defaultThreadFactory",
      desc = "()Ljava/util/concurrent/ThreadFactory;")
  @Replaces(
      owner = EXECUTORS,
      name = "privilegedThreadFactory",
      desc = "()Ljava/util/concurrent/ThreadFactory;")
  public static ThreadFactory defaultThreadFactory() {
    return new WorldThreadFactory();
  }

  @Replaces(
      owner = EXECUTORS,
      name = "newFixedThreadPool",
      desc = "(I)Ljava/util/concurrent/ExecutorService;")
  public static ExecutorService newFixedThreadPool(int size) {
    return newFixedThreadPool(size, new WorldThreadFactory());
  }

  @Replaces(
      owner = EXECUTORS,
      name = "newFixedThreadPool",
      desc = "(ILjava/util/concurrent/ThreadFactory;)Ljava/util/concurrent/ExecutorService;")
  public static ExecutorService newFixedThreadPool(int size, ThreadFactory factory) {
    return new WorldThreadPool(
        size, size, 0, TimeUnit.MILLISECONDS, new LinkedBlockingQueue<>(), factory);
  }

  @Replaces(
      owner = EXECUTORS,
      name = "newSingleThreadExecutor",
      desc = "()Ljava/util/concurrent/ExecutorService;")
  public static ExecutorService newSingleThreadExecutor() {
    return newSingleThreadExecutor(new WorldThreadFactory());
  }

  @Replaces(
      owner = EXECUTORS,
      name = "newSingleThreadExecutor",
      desc = "(Ljava/util/concurrent/ThreadFactory;)Ljava/util/concurrent/ExecutorService;")
  public static ExecutorService newSingleThreadExecutor(ThreadFactory factory) {
    return Executors.unconfigurableExecutorService(newFixedThreadPool(1, factory));
  }

  @Replaces(
      owner = EXECUTORS,
      name = "newCachedThreadPool",
      desc = "()Ljava/util/concurrent/ExecutorService;")
  public static ExecutorService newCachedThreadPool() {
    return newCachedThreadPool(new WorldThreadFactory());
  }

  @Replaces(
      owner = EXECUTORS,
      name = "newCachedThreadPool",
      desc = "(Ljava/util/concurrent/ThreadFactory;)Ljava/util/concurrent/ExecutorService;")
  public static ExecutorService newCachedThreadPool(ThreadFactory factory) {
    return new WorldThreadPool(
        0, Integer.MAX_VALUE, 60, TimeUnit.SECONDS, new WorldSynchronousQueue<>(), factory);
  }

  @Replaces(
      owner = EXECUTORS,
      name = "newScheduledThreadPool",
      desc = "(I)Ljava/util/concurrent/ScheduledExecutorService;")
  public static ScheduledExecutorService newScheduledThreadPool(int size) {
    return newScheduledThreadPool(size, new WorldThreadFactory());
  }

  @Replaces(
      owner = EXECUTORS,
      name = "newScheduledThreadPool",
      desc =
          "(ILjava/util/concurrent/ThreadFactory;)Ljava/util/concurrent/ScheduledExecutorService;")
  public static ScheduledExecutorService newScheduledThreadPool(int size, ThreadFactory factory) {
    return new WorldScheduledPool(size, factory);
  }

  @Replaces(
      owner = EXECUTORS,
      name = "newSingleThreadScheduledExecutor",
      desc = "()Ljava/util/concurrent/ScheduledExecutorService;")
  public static ScheduledExecutorService newSingleThreadScheduledExecutor() {
    return newSingleThreadScheduledExecutor(new WorldThreadFactory());
  }

  @Replaces(
      owner = EXECUTORS,
      name = "newSingleThreadScheduledExecutor",
      desc =
          "(Ljava/util/concurrent/ThreadFactory;)Ljava/util/concurrent/ScheduledExecutorService;")
  public static ScheduledExecutorService newSingleThreadScheduledExecutor(ThreadFactory factory) {
    return Executors.unconfigurableScheduledExecutorService(new WorldScheduledPool(1, factory));
  }

  @Replaces(
      owner = EXECUTORS,
      name = "newWorkStealingPool",
      desc = "(I)Ljava/util/concurrent/ExecutorService;")
  public static ExecutorService newWorkStealingPool(int parallelism) {
    return new WorldForkJoinPool(parallelism);
  }

  @Replaces(
      owner = EXECUTORS,
      name = "newWorkStealingPool",
      desc = "()Ljava/util/concurrent/ExecutorService;")
  public static ExecutorService newWorkStealingPool() {
    return new WorldForkJoinPool();
  }
}
