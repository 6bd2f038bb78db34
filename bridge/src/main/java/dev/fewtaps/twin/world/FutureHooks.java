package dev.fewtaps.twin.world;

import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionService;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ForkJoinTask;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.BaseStream;
import java.util.stream.Stream;

/** Futures, awaited in virtual time, and what would run on the JVM's common pool. */
@SuppressWarnings({"unchecked", "rawtypes"})
public final class FutureHooks {
  private static final String FUTURE = "java/util/concurrent/Future";
  private static final String COMPLETABLE = "java/util/concurrent/CompletableFuture";
  private static final String STAGE = "java/util/concurrent/CompletionStage";
  private static final String SERVICE = "java/util/concurrent/CompletionService";

  private FutureHooks() {}

  // ---- Future

  @Replaces(owner = FUTURE, name = "get", desc = "()Ljava/lang/Object;", subclasses = true)
  public static Object get(Future<?> future) throws InterruptedException, ExecutionException {
    Strand me = Strand.here();
    if (me != null) {
      if (Guard.enter(future, "get")) {
        try {
          return future.get();
        } finally {
          Guard.leave();
        }
      }
      ForkHooks.help(future);
      Wait.until(me, future::isDone);
      toldWaking(me, future);
    }
    return future.get();
  }

  @Replaces(
      owner = FUTURE,
      name = "get",
      desc = "(JLjava/util/concurrent/TimeUnit;)Ljava/lang/Object;",
      subclasses = true)
  public static Object get(Future<?> future, long timeout, TimeUnit unit)
      throws InterruptedException, ExecutionException, TimeoutException {
    Strand me = Strand.here();
    if (me != null) {
      if (Guard.enter(future, "get", long.class, TimeUnit.class)) {
        try {
          return future.get(timeout, unit);
        } finally {
          Guard.leave();
        }
      }
      if (!Wait.until(me, future::isDone, Wait.deadline(me, timeout, unit))) {
        throw new TimeoutException();
      }
      toldWaking(me, future);
    }
    return future.get(timeout, unit);
  }

  @Replaces(owner = COMPLETABLE, name = "join", desc = "()Ljava/lang/Object;", subclasses = true)
  public static Object join(CompletableFuture<?> future) {
    Strand me = Strand.here();
    if (me != null) {
      Wait.stubbornly(me, future::isDone);
      toldWaking(me, future);
    }
    return future.join();
  }

  private static void toldWaking(Strand me, Future<?> future) {
    if (me.waited) {
      Recorder.woke(Recorder.finishOf(future));
    }
  }

  // ---- CompletionService and ExecutorService

  @Replaces(
      owner = SERVICE,
      name = "take",
      desc = "()Ljava/util/concurrent/Future;",
      subclasses = true)
  public static Future take(CompletionService service) throws InterruptedException {
    Strand me = Strand.here();
    if (me == null) {
      return service.take();
    }
    Future[] found = new Future[1];
    Wait.retry(me, () -> (found[0] = service.poll()) != null, Strand.NEVER);
    return found[0];
  }

  @Replaces(
      owner = SERVICE,
      name = "poll",
      desc = "(JLjava/util/concurrent/TimeUnit;)Ljava/util/concurrent/Future;",
      subclasses = true)
  public static Future poll(CompletionService service, long timeout, TimeUnit unit)
      throws InterruptedException {
    Strand me = Strand.here();
    if (me == null) {
      return service.poll(timeout, unit);
    }
    Future[] found = new Future[1];
    Wait.retry(me, () -> (found[0] = service.poll()) != null, Wait.deadline(me, timeout, unit));
    return found[0];
  }

  @Replaces(
      owner = "java/util/concurrent/ExecutorService",
      name = "awaitTermination",
      desc = "(JLjava/util/concurrent/TimeUnit;)Z",
      subclasses = true)
  public static boolean awaitTermination(ExecutorService service, long timeout, TimeUnit unit)
      throws InterruptedException {
    Strand me = Strand.here();
    if (me == null) {
      return service.awaitTermination(timeout, unit);
    }
    if (Guard.enter(service, "awaitTermination", long.class, TimeUnit.class)) {
      try {
        return service.awaitTermination(timeout, unit);
      } finally {
        Guard.leave();
      }
    }
    return Wait.until(me, service::isTerminated, Wait.deadline(me, timeout, unit));
  }

  // ---- streams: one thread is enough

  @Replaces(
      owner = "java/util/Collection",
      name = "parallelStream",
      desc = "()Ljava/util/stream/Stream;",
      subclasses = true)
  public static Stream parallelStream(Collection collection) {
    return collection.stream();
  }

  @Replaces(
      owner = "java/util/stream/BaseStream",
      name = "parallel",
      desc = "()Ljava/util/stream/BaseStream;",
      subclasses = true)
  public static BaseStream parallel(BaseStream stream) {
    return stream;
  }

  @Replaces(
      owner = "java/util/stream/IntStream",
      name = "parallel",
      desc = "()Ljava/util/stream/IntStream;")
  public static java.util.stream.IntStream parallel(java.util.stream.IntStream stream) {
    return stream;
  }

  @Replaces(
      owner = "java/util/stream/LongStream",
      name = "parallel",
      desc = "()Ljava/util/stream/LongStream;")
  public static java.util.stream.LongStream parallel(java.util.stream.LongStream stream) {
    return stream;
  }

  @Replaces(
      owner = "java/util/stream/DoubleStream",
      name = "parallel",
      desc = "()Ljava/util/stream/DoubleStream;")
  public static java.util.stream.DoubleStream parallel(java.util.stream.DoubleStream stream) {
    return stream;
  }

  // ---- CompletableFuture without an executor

  private static Executor pool() {
    return ForkHooks.commonPool();
  }

  @Replaces(
      owner = COMPLETABLE,
      name = "runAsync",
      desc = "(Ljava/lang/Runnable;)Ljava/util/concurrent/CompletableFuture;")
  public static CompletableFuture runAsync(Runnable body) {
    return withToken(CompletableFuture.runAsync(body, pool()));
  }

  @Replaces(
      owner = COMPLETABLE,
      name = "supplyAsync",
      desc = "(Ljava/util/function/Supplier;)Ljava/util/concurrent/CompletableFuture;")
  public static CompletableFuture supplyAsync(Supplier body) {
    return withToken(CompletableFuture.supplyAsync(body, pool()));
  }

  /** Lets the recording tell which work finished a future that was begun just now. */
  private static CompletableFuture withToken(CompletableFuture future) {
    if (Recorder.isOn()) {
      future.whenComplete(
          (result, error) -> Recorder.finished(future, Recorder.hand("end of the task")));
    }
    return future;
  }

  @Replaces(
      owner = COMPLETABLE,
      name = "thenApplyAsync",
      desc = "(Ljava/util/function/Function;)Ljava/util/concurrent/CompletableFuture;",
      subclasses = true)
  public static CompletableFuture thenApplyAsync(CompletableFuture future, Function body) {
    return future.thenApplyAsync(body, pool());
  }

  @Replaces(
      owner = STAGE,
      name = "thenApplyAsync",
      desc = "(Ljava/util/function/Function;)Ljava/util/concurrent/CompletionStage;",
      subclasses = true)
  public static CompletionStage thenApplyAsync(CompletionStage stage, Function body) {
    return stage.thenApplyAsync(body, pool());
  }

  @Replaces(
      owner = COMPLETABLE,
      name = "thenAcceptAsync",
      desc = "(Ljava/util/function/Consumer;)Ljava/util/concurrent/CompletableFuture;",
      subclasses = true)
  public static CompletableFuture thenAcceptAsync(CompletableFuture future, Consumer body) {
    return future.thenAcceptAsync(body, pool());
  }

  @Replaces(
      owner = STAGE,
      name = "thenAcceptAsync",
      desc = "(Ljava/util/function/Consumer;)Ljava/util/concurrent/CompletionStage;",
      subclasses = true)
  public static CompletionStage thenAcceptAsync(CompletionStage stage, Consumer body) {
    return stage.thenAcceptAsync(body, pool());
  }

  @Replaces(
      owner = COMPLETABLE,
      name = "thenRunAsync",
      desc = "(Ljava/lang/Runnable;)Ljava/util/concurrent/CompletableFuture;",
      subclasses = true)
  public static CompletableFuture thenRunAsync(CompletableFuture future, Runnable body) {
    return future.thenRunAsync(body, pool());
  }

  @Replaces(
      owner = STAGE,
      name = "thenRunAsync",
      desc = "(Ljava/lang/Runnable;)Ljava/util/concurrent/CompletionStage;",
      subclasses = true)
  public static CompletionStage thenRunAsync(CompletionStage stage, Runnable body) {
    return stage.thenRunAsync(body, pool());
  }

  @Replaces(
      owner = COMPLETABLE,
      name = "thenCombineAsync",
      desc =
          "(Ljava/util/concurrent/CompletionStage;Ljava/util/function/BiFunction;)Ljava/util/concurrent/CompletableFuture;",
      subclasses = true)
  public static CompletableFuture thenCombineAsync(
      CompletableFuture future, CompletionStage other, BiFunction body) {
    return future.thenCombineAsync(other, body, pool());
  }

  @Replaces(
      owner = STAGE,
      name = "thenCombineAsync",
      desc =
          "(Ljava/util/concurrent/CompletionStage;Ljava/util/function/BiFunction;)Ljava/util/concurrent/CompletionStage;",
      subclasses = true)
  public static CompletionStage thenCombineAsync(
      CompletionStage stage, CompletionStage other, BiFunction body) {
    return stage.thenCombineAsync(other, body, pool());
  }

  @Replaces(
      owner = COMPLETABLE,
      name = "thenAcceptBothAsync",
      desc =
          "(Ljava/util/concurrent/CompletionStage;Ljava/util/function/BiConsumer;)Ljava/util/concurrent/CompletableFuture;",
      subclasses = true)
  public static CompletableFuture thenAcceptBothAsync(
      CompletableFuture future, CompletionStage other, BiConsumer body) {
    return future.thenAcceptBothAsync(other, body, pool());
  }

  @Replaces(
      owner = STAGE,
      name = "thenAcceptBothAsync",
      desc =
          "(Ljava/util/concurrent/CompletionStage;Ljava/util/function/BiConsumer;)Ljava/util/concurrent/CompletionStage;",
      subclasses = true)
  public static CompletionStage thenAcceptBothAsync(
      CompletionStage stage, CompletionStage other, BiConsumer body) {
    return stage.thenAcceptBothAsync(other, body, pool());
  }

  @Replaces(
      owner = COMPLETABLE,
      name = "runAfterBothAsync",
      desc =
          "(Ljava/util/concurrent/CompletionStage;Ljava/lang/Runnable;)Ljava/util/concurrent/CompletableFuture;",
      subclasses = true)
  public static CompletableFuture runAfterBothAsync(
      CompletableFuture future, CompletionStage other, Runnable body) {
    return future.runAfterBothAsync(other, body, pool());
  }

  @Replaces(
      owner = STAGE,
      name = "runAfterBothAsync",
      desc =
          "(Ljava/util/concurrent/CompletionStage;Ljava/lang/Runnable;)Ljava/util/concurrent/CompletionStage;",
      subclasses = true)
  public static CompletionStage runAfterBothAsync(
      CompletionStage stage, CompletionStage other, Runnable body) {
    return stage.runAfterBothAsync(other, body, pool());
  }

  @Replaces(
      owner = COMPLETABLE,
      name = "applyToEitherAsync",
      desc =
          "(Ljava/util/concurrent/CompletionStage;Ljava/util/function/Function;)Ljava/util/concurrent/CompletableFuture;",
      subclasses = true)
  public static CompletableFuture applyToEitherAsync(
      CompletableFuture future, CompletionStage other, Function body) {
    return future.applyToEitherAsync(other, body, pool());
  }

  @Replaces(
      owner = STAGE,
      name = "applyToEitherAsync",
      desc =
          "(Ljava/util/concurrent/CompletionStage;Ljava/util/function/Function;)Ljava/util/concurrent/CompletionStage;",
      subclasses = true)
  public static CompletionStage applyToEitherAsync(
      CompletionStage stage, CompletionStage other, Function body) {
    return stage.applyToEitherAsync(other, body, pool());
  }

  @Replaces(
      owner = COMPLETABLE,
      name = "acceptEitherAsync",
      desc =
          "(Ljava/util/concurrent/CompletionStage;Ljava/util/function/Consumer;)Ljava/util/concurrent/CompletableFuture;",
      subclasses = true)
  public static CompletableFuture acceptEitherAsync(
      CompletableFuture future, CompletionStage other, Consumer body) {
    return future.acceptEitherAsync(other, body, pool());
  }

  @Replaces(
      owner = STAGE,
      name = "acceptEitherAsync",
      desc =
          "(Ljava/util/concurrent/CompletionStage;Ljava/util/function/Consumer;)Ljava/util/concurrent/CompletionStage;",
      subclasses = true)
  public static CompletionStage acceptEitherAsync(
      CompletionStage stage, CompletionStage other, Consumer body) {
    return stage.acceptEitherAsync(other, body, pool());
  }

  @Replaces(
      owner = COMPLETABLE,
      name = "runAfterEitherAsync",
      desc =
          "(Ljava/util/concurrent/CompletionStage;Ljava/lang/Runnable;)Ljava/util/concurrent/CompletableFuture;",
      subclasses = true)
  public static CompletableFuture runAfterEitherAsync(
      CompletableFuture future, CompletionStage other, Runnable body) {
    return future.runAfterEitherAsync(other, body, pool());
  }

  @Replaces(
      owner = STAGE,
      name = "runAfterEitherAsync",
      desc =
          "(Ljava/util/concurrent/CompletionStage;Ljava/lang/Runnable;)Ljava/util/concurrent/CompletionStage;",
      subclasses = true)
  public static CompletionStage runAfterEitherAsync(
      CompletionStage stage, CompletionStage other, Runnable body) {
    return stage.runAfterEitherAsync(other, body, pool());
  }

  @Replaces(
      owner = COMPLETABLE,
      name = "thenComposeAsync",
      desc = "(Ljava/util/function/Function;)Ljava/util/concurrent/CompletableFuture;",
      subclasses = true)
  public static CompletableFuture thenComposeAsync(CompletableFuture future, Function body) {
    return future.thenComposeAsync(body, pool());
  }

  @Replaces(
      owner = STAGE,
      name = "thenComposeAsync",
      desc = "(Ljava/util/function/Function;)Ljava/util/concurrent/CompletionStage;",
      subclasses = true)
  public static CompletionStage thenComposeAsync(CompletionStage stage, Function body) {
    return stage.thenComposeAsync(body, pool());
  }

  @Replaces(
      owner = COMPLETABLE,
      name = "whenCompleteAsync",
      desc = "(Ljava/util/function/BiConsumer;)Ljava/util/concurrent/CompletableFuture;",
      subclasses = true)
  public static CompletableFuture whenCompleteAsync(CompletableFuture future, BiConsumer body) {
    return future.whenCompleteAsync(body, pool());
  }

  @Replaces(
      owner = STAGE,
      name = "whenCompleteAsync",
      desc = "(Ljava/util/function/BiConsumer;)Ljava/util/concurrent/CompletionStage;",
      subclasses = true)
  public static CompletionStage whenCompleteAsync(CompletionStage stage, BiConsumer body) {
    return stage.whenCompleteAsync(body, pool());
  }

  @Replaces(
      owner = COMPLETABLE,
      name = "handleAsync",
      desc = "(Ljava/util/function/BiFunction;)Ljava/util/concurrent/CompletableFuture;",
      subclasses = true)
  public static CompletableFuture handleAsync(CompletableFuture future, BiFunction body) {
    return future.handleAsync(body, pool());
  }

  @Replaces(
      owner = STAGE,
      name = "handleAsync",
      desc = "(Ljava/util/function/BiFunction;)Ljava/util/concurrent/CompletionStage;",
      subclasses = true)
  public static CompletionStage handleAsync(CompletionStage stage, BiFunction body) {
    return stage.handleAsync(body, pool());
  }

  @Replaces(
      owner = COMPLETABLE,
      name = "orTimeout",
      desc = "(JLjava/util/concurrent/TimeUnit;)Ljava/util/concurrent/CompletableFuture;")
  public static CompletableFuture orTimeout(CompletableFuture future, long timeout, TimeUnit unit) {
    if (Strand.here() == null) {
      return future.orTimeout(timeout, unit);
    }
    ForkHooks.timer()
        .schedule(
            () -> {
              future.completeExceptionally(new TimeoutException());
            },
            timeout,
            unit);
    return future;
  }

  @Replaces(
      owner = COMPLETABLE,
      name = "completeOnTimeout",
      desc =
          "(Ljava/lang/Object;JLjava/util/concurrent/TimeUnit;)"
              + "Ljava/util/concurrent/CompletableFuture;")
  public static CompletableFuture completeOnTimeout(
      CompletableFuture future, Object value, long timeout, TimeUnit unit) {
    if (Strand.here() == null) {
      return future.completeOnTimeout(value, timeout, unit);
    }
    ForkHooks.timer()
        .schedule(
            () -> {
              future.complete(value);
            },
            timeout,
            unit);
    return future;
  }

  @Replaces(
      owner = COMPLETABLE,
      name = "delayedExecutor",
      desc =
          "(JLjava/util/concurrent/TimeUnit;Ljava/util/concurrent/Executor;)"
              + "Ljava/util/concurrent/Executor;")
  public static Executor delayedExecutor(long delay, TimeUnit unit, Executor executor) {
    return body -> ForkHooks.timer().schedule(() -> executor.execute(body), delay, unit);
  }

  @Replaces(
      owner = COMPLETABLE,
      name = "delayedExecutor",
      desc = "(JLjava/util/concurrent/TimeUnit;)Ljava/util/concurrent/Executor;")
  public static Executor delayedExecutor(long delay, TimeUnit unit) {
    return delayedExecutor(delay, unit, pool());
  }

  @Replaces(
      owner = "java/util/concurrent/ForkJoinTask",
      name = "fork",
      desc = "()Ljava/util/concurrent/ForkJoinTask;",
      subclasses = true)
  public static ForkJoinTask fork(ForkJoinTask task) {
    return ForkHooks.forkTask(task);
  }
}
