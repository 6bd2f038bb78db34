package dev.fewtaps.twin.world;

import java.util.concurrent.BlockingDeque;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TransferQueue;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Queues whose takers and givers wait in virtual time. */
public final class QueueHooks {
  private static final String QUEUE = "java/util/concurrent/BlockingQueue";
  private static final String DEQUE = "java/util/concurrent/BlockingDeque";
  private static final String TIMED = "(JLjava/util/concurrent/TimeUnit;)Ljava/lang/Object;";
  private static final String TIMED_OFFER = "(Ljava/lang/Object;JLjava/util/concurrent/TimeUnit;)Z";

  private QueueHooks() {}

  /** The original of a hooked method. */
  private interface Original<T> {
    T call() throws InterruptedException;
  }

  /** The original where this is no affair of a world's; null where it is. */
  private static boolean isForeign(Strand me, Object queue) {
    return me == null || queue instanceof WorldSynchronousQueue || queue instanceof WorkQueue;
  }

  private static <T> T passOn(Original<T> original) throws InterruptedException {
    try {
      return original.call();
    } finally {
      Guard.leave();
    }
  }

  private static <E> E take(Strand me, BlockingQueue<E> queue, Supplier<E> poll, long deadline)
      throws InterruptedException {
    if (me.takeInterrupt()) {
      throw new InterruptedException();
    }
    for (; ; ) {
      E item = poll.get();
      if (item != null) {
        return item;
      }
      long now = me.world.now();
      if (now >= deadline) {
        return null;
      }
      E head = queue.peek();
      if (queue instanceof DelayQueue && head != null) {
        long due =
            Wait.deadline(
                me, ((Delayed) head).getDelay(TimeUnit.NANOSECONDS), TimeUnit.NANOSECONDS);
        Wait.until(me, () -> queue.peek() != head, Math.min(Math.max(due, now + 1), deadline));
      } else if (head != null) {
        Wait.sleep(me, 1);
      } else {
        Wait.until(me, () -> !queue.isEmpty(), deadline);
      }
    }
  }

  private static boolean put(
      Strand me, BlockingQueue<?> queue, BooleanSupplier offer, long deadline)
      throws InterruptedException {
    if (me.takeInterrupt()) {
      throw new InterruptedException();
    }
    while (!offer.getAsBoolean()) {
      if (queue.remainingCapacity() > 0) {
        if (!Wait.retry(me, offer, deadline)) {
          return false;
        }
        return true;
      }
      if (!Wait.until(me, () -> queue.remainingCapacity() > 0, deadline)) {
        return false;
      }
    }
    return true;
  }

  @Replaces(owner = QUEUE, name = "take", desc = "()Ljava/lang/Object;", subclasses = true)
  public static Object take(BlockingQueue<Object> queue) throws InterruptedException {
    Strand me = Strand.here();
    if (isForeign(me, queue)) {
      return queue.take();
    }
    if (Guard.enter(queue, "take")) {
      return passOn(queue::take);
    }
    return take(me, queue, queue::poll, Strand.NEVER);
  }

  @Replaces(owner = QUEUE, name = "poll", desc = TIMED, subclasses = true)
  public static Object poll(BlockingQueue<Object> queue, long timeout, TimeUnit unit)
      throws InterruptedException {
    Strand me = Strand.here();
    if (isForeign(me, queue)) {
      return queue.poll(timeout, unit);
    }
    if (Guard.enter(queue, "poll", long.class, TimeUnit.class)) {
      return passOn(() -> queue.poll(timeout, unit));
    }
    return take(me, queue, queue::poll, Wait.deadline(me, timeout, unit));
  }

  @Replaces(owner = QUEUE, name = "put", desc = "(Ljava/lang/Object;)V", subclasses = true)
  public static void put(BlockingQueue<Object> queue, Object item) throws InterruptedException {
    Strand me = Strand.here();
    if (isForeign(me, queue)) {
      queue.put(item);
    } else if (Guard.enter(queue, "put", Object.class)) {
      try {
        queue.put(item);
      } finally {
        Guard.leave();
      }
    } else {
      put(me, queue, () -> queue.offer(item), Strand.NEVER);
    }
  }

  @Replaces(owner = QUEUE, name = "offer", desc = TIMED_OFFER, subclasses = true)
  public static boolean offer(BlockingQueue<Object> queue, Object item, long timeout, TimeUnit unit)
      throws InterruptedException {
    Strand me = Strand.here();
    if (isForeign(me, queue)) {
      return queue.offer(item, timeout, unit);
    }
    if (Guard.enter(queue, "offer", Object.class, long.class, TimeUnit.class)) {
      return passOn(() -> queue.offer(item, timeout, unit));
    }
    return put(me, queue, () -> queue.offer(item), Wait.deadline(me, timeout, unit));
  }

  @Replaces(owner = DEQUE, name = "takeFirst", desc = "()Ljava/lang/Object;", subclasses = true)
  public static Object takeFirst(BlockingDeque<Object> queue) throws InterruptedException {
    Strand me = Strand.here();
    if (isForeign(me, queue)) {
      return queue.takeFirst();
    }
    if (Guard.enter(queue, "takeFirst")) {
      return passOn(queue::takeFirst);
    }
    return take(me, queue, queue::pollFirst, Strand.NEVER);
  }

  @Replaces(owner = DEQUE, name = "pollFirst", desc = TIMED, subclasses = true)
  public static Object pollFirst(BlockingDeque<Object> queue, long timeout, TimeUnit unit)
      throws InterruptedException {
    Strand me = Strand.here();
    if (isForeign(me, queue)) {
      return queue.pollFirst(timeout, unit);
    }
    if (Guard.enter(queue, "pollFirst", long.class, TimeUnit.class)) {
      return passOn(() -> queue.pollFirst(timeout, unit));
    }
    return take(me, queue, queue::pollFirst, Wait.deadline(me, timeout, unit));
  }

  @Replaces(owner = DEQUE, name = "putFirst", desc = "(Ljava/lang/Object;)V", subclasses = true)
  public static void putFirst(BlockingDeque<Object> queue, Object item)
      throws InterruptedException {
    Strand me = Strand.here();
    if (isForeign(me, queue)) {
      queue.putFirst(item);
    } else if (Guard.enter(queue, "putFirst", Object.class)) {
      try {
        queue.putFirst(item);
      } finally {
        Guard.leave();
      }
    } else {
      put(me, queue, () -> queue.offerFirst(item), Strand.NEVER);
    }
  }

  @Replaces(owner = DEQUE, name = "offerFirst", desc = TIMED_OFFER, subclasses = true)
  public static boolean offerFirst(
      BlockingDeque<Object> queue, Object item, long timeout, TimeUnit unit)
      throws InterruptedException {
    Strand me = Strand.here();
    if (isForeign(me, queue)) {
      return queue.offerFirst(item, timeout, unit);
    }
    if (Guard.enter(queue, "offerFirst", Object.class, long.class, TimeUnit.class)) {
      return passOn(() -> queue.offerFirst(item, timeout, unit));
    }
    return put(me, queue, () -> queue.offerFirst(item), Wait.deadline(me, timeout, unit));
  }

  @Replaces(owner = DEQUE, name = "takeLast", desc = "()Ljava/lang/Object;", subclasses = true)
  public static Object takeLast(BlockingDeque<Object> queue) throws InterruptedException {
    Strand me = Strand.here();
    if (isForeign(me, queue)) {
      return queue.takeLast();
    }
    if (Guard.enter(queue, "takeLast")) {
      return passOn(queue::takeLast);
    }
    return take(me, queue, queue::pollLast, Strand.NEVER);
  }

  @Replaces(owner = DEQUE, name = "pollLast", desc = TIMED, subclasses = true)
  public static Object pollLast(BlockingDeque<Object> queue, long timeout, TimeUnit unit)
      throws InterruptedException {
    Strand me = Strand.here();
    if (isForeign(me, queue)) {
      return queue.pollLast(timeout, unit);
    }
    if (Guard.enter(queue, "pollLast", long.class, TimeUnit.class)) {
      return passOn(() -> queue.pollLast(timeout, unit));
    }
    return take(me, queue, queue::pollLast, Wait.deadline(me, timeout, unit));
  }

  @Replaces(owner = DEQUE, name = "putLast", desc = "(Ljava/lang/Object;)V", subclasses = true)
  public static void putLast(BlockingDeque<Object> queue, Object item) throws InterruptedException {
    Strand me = Strand.here();
    if (isForeign(me, queue)) {
      queue.putLast(item);
    } else if (Guard.enter(queue, "putLast", Object.class)) {
      try {
        queue.putLast(item);
      } finally {
        Guard.leave();
      }
    } else {
      put(me, queue, () -> queue.offerLast(item), Strand.NEVER);
    }
  }

  @Replaces(owner = DEQUE, name = "offerLast", desc = TIMED_OFFER, subclasses = true)
  public static boolean offerLast(
      BlockingDeque<Object> queue, Object item, long timeout, TimeUnit unit)
      throws InterruptedException {
    Strand me = Strand.here();
    if (isForeign(me, queue)) {
      return queue.offerLast(item, timeout, unit);
    }
    if (Guard.enter(queue, "offerLast", Object.class, long.class, TimeUnit.class)) {
      return passOn(() -> queue.offerLast(item, timeout, unit));
    }
    return put(me, queue, () -> queue.offerLast(item), Wait.deadline(me, timeout, unit));
  }

  @Replaces(
      owner = "java/util/concurrent/TransferQueue",
      name = "transfer",
      desc = "(Ljava/lang/Object;)V",
      subclasses = true)
  public static void transfer(TransferQueue<Object> queue, Object item)
      throws InterruptedException {
    Strand me = Strand.here();
    if (me == null || !(queue instanceof LinkedTransferQueue)) {
      queue.transfer(item);
      return;
    }
    queue.offer(item);
    Wait.until(me, () -> queue.stream().noneMatch(held -> held == item));
  }
}
