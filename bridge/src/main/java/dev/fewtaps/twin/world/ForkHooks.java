package dev.fewtaps.twin.world;

import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinTask;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;

/**
 * Fork and join on a pool of ours: a thread that joins a task which has not begun runs the task
 * itself.
 */
@SuppressWarnings({"unchecked", "rawtypes"})
public final class ForkHooks {
  private static final String TASK = "java/util/concurrent/ForkJoinTask";

  private ForkHooks() {}

  private static Object singleton(String key, java.util.function.Supplier<Object> maker) {
    Strand me = Strand.here();
    World world = me != null ? me.world : World.current();
    if (world == null) {
      return null;
    }
    Object found = world.singletons.get(key);
    if (found == null) {
      found = maker.get();
      world.singletons.put(key, found);
    }
    return found;
  }

  @Replaces(
      owner = "java/util/concurrent/ForkJoinPool",
      name = "commonPool",
      desc = "()Ljava/util/concurrent/ForkJoinPool;")
  public static ForkJoinPool commonPool() {
    Object pool =
        singleton("common pool", () -> new WorldForkJoinPool(3, "ForkJoinPool.commonPool-worker-"));
    return pool == null ? ForkJoinPool.commonPool() : (ForkJoinPool) pool;
  }

  @Replaces(
      owner = "java/util/concurrent/ForkJoinPool",
      name = "getCommonPoolParallelism",
      desc = "()I")
  @Replaces(
      owner = "java/util/concurrent/ForkJoinPool",
      name = "getCommonPoolParallelismLevel",
      desc = "()I")
  public static int commonParallelism() {
    return 3;
  }

  static ScheduledExecutorService timer() {
    Object timer =
        singleton(
            "delays",
            () -> new WorldScheduledPool(1, new WorldThreadFactory("CompletableFutureDelay-")));
    return timer == null
        ? java.util.concurrent.Executors.newScheduledThreadPool(1)
        : (ScheduledExecutorService) timer;
  }

  private static Map<Object, Boolean> begun() {
    return (Map<Object, Boolean>) singleton("begun", IdentityHashMap::new);
  }

  /** Runs a task unless it has begun. */
  static void runOnce(ForkJoinTask<?> task) {
    Map<Object, Boolean> begun = begun();
    if (!task.isDone() && (begun == null || begun.put(task, true) == null)) {
      try {
        task.quietlyInvoke();
      } finally {
        if (begun != null) {
          begun.remove(task);
        }
      }
    }
  }

  static ForkJoinTask forkTask(ForkJoinTask task) {
    if (Strand.here() == null) {
      return task.fork();
    }
    commonPool().execute((Runnable) () -> runOnce(task));
    return task;
  }

  /** Runs the work of a future on this thread if it has not begun. */
  static void help(Future<?> future) {
    if (future instanceof ForkJoinTask) {
      runOnce((ForkJoinTask<?>) future);
    }
  }

  private static void finish(ForkJoinTask<?> task) {
    Strand me = Strand.here();
    if (me != null) {
      runOnce(task);
      Wait.stubbornly(me, task::isDone);
    }
  }

  @Replaces(owner = TASK, name = "join", desc = "()Ljava/lang/Object;", subclasses = true)
  public static Object join(ForkJoinTask task) {
    finish(task);
    return task.join();
  }

  @Replaces(owner = TASK, name = "invoke", desc = "()Ljava/lang/Object;", subclasses = true)
  public static Object invoke(ForkJoinTask task) {
    finish(task);
    return task.join();
  }

  @Replaces(owner = TASK, name = "quietlyJoin", desc = "()V", subclasses = true)
  @Replaces(owner = TASK, name = "quietlyInvoke", desc = "()V", subclasses = true)
  public static void quietlyJoin(ForkJoinTask task) {
    finish(task);
    task.quietlyJoin();
  }

  @Replaces(
      owner = TASK,
      name = "invokeAll",
      desc = "(Ljava/util/concurrent/ForkJoinTask;Ljava/util/concurrent/ForkJoinTask;)V",
      subclasses = true)
  public static void invokeAll(ForkJoinTask first, ForkJoinTask second) {
    finish(first);
    finish(second);
    first.join();
    second.join();
  }

  @Replaces(
      owner = TASK,
      name = "invokeAll",
      desc = "([Ljava/util/concurrent/ForkJoinTask;)V",
      subclasses = true)
  public static void invokeAll(ForkJoinTask[] tasks) {
    for (ForkJoinTask task : tasks) {
      finish(task);
      task.join();
    }
  }

  @Replaces(
      owner = TASK,
      name = "invokeAll",
      desc = "(Ljava/util/Collection;)Ljava/util/Collection;",
      subclasses = true)
  public static Collection invokeAll(Collection tasks) {
    for (Object task : tasks) {
      finish((ForkJoinTask) task);
      ((ForkJoinTask) task).join();
    }
    return tasks;
  }
}
