package dev.fewtaps.twin.world;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;

/** A hand-over between threads that wait in virtual time. */
@ReplacesType("java/util/concurrent/SynchronousQueue")
public class WorldSynchronousQueue<E> extends SynchronousQueue<E> {
  private static final long serialVersionUID = 1;

  /** One that waits: a giver with its item, or a taker without. */
  private static final class Node {
    volatile Object item;
    volatile boolean met;
  }

  private final transient Deque<Node> givers = new ArrayDeque<>();
  private final transient Deque<Node> takers = new ArrayDeque<>();

  public WorldSynchronousQueue() {}

  public WorldSynchronousQueue(boolean fair) {
    super(fair);
  }

  @Override
  public synchronized boolean offer(E item) {
    if (item == null) {
      throw new NullPointerException();
    }
    Node taker = takers.poll();
    if (taker == null) {
      return false;
    }
    taker.item = item;
    taker.met = true;
    return true;
  }

  @Override
  @SuppressWarnings("unchecked")
  public synchronized E poll() {
    Node giver = givers.poll();
    if (giver == null) {
      return null;
    }
    giver.met = true;
    return (E) giver.item;
  }

  private synchronized void queue(Deque<Node> nodes, Node node) {
    nodes.add(node);
  }

  /** Takes back a node; returns whether no other thread had met it. */
  private synchronized boolean withdraw(Deque<Node> nodes, Node node) {
    return nodes.remove(node);
  }

  private void await(Strand me, Node node, long deadline) throws InterruptedException {
    if (me != null) {
      try {
        Wait.until(me, () -> node.met, deadline);
      } catch (InterruptedException e) {
        if (!node.met) {
          throw e;
        }
        Thread.currentThread().interrupt();
      }
      return;
    }
    long end = deadline == Strand.NEVER ? Long.MAX_VALUE : System.nanoTime() + deadline;
    while (!node.met && System.nanoTime() < end) {
      Thread.sleep(1);
    }
  }

  boolean give(Strand me, E item, long deadline) throws InterruptedException {
    if (offer(item)) {
      return true;
    }
    Node node = new Node();
    node.item = item;
    queue(givers, node);
    try {
      await(me, node, deadline);
    } finally {
      withdraw(givers, node);
    }
    return node.met;
  }

  @SuppressWarnings("unchecked")
  E take(Strand me, long deadline) throws InterruptedException {
    E item = poll();
    if (item != null) {
      return item;
    }
    Node node = new Node();
    queue(takers, node);
    try {
      await(me, node, deadline);
    } finally {
      withdraw(takers, node);
    }
    return (E) node.item;
  }

  private static long deadline(Strand me, long timeout, TimeUnit unit) {
    return me == null ? unit.toNanos(timeout) : Wait.deadline(me, timeout, unit);
  }

  @Override
  public void put(E item) throws InterruptedException {
    give(Strand.here(), item, Strand.NEVER);
  }

  @Override
  public boolean offer(E item, long timeout, TimeUnit unit) throws InterruptedException {
    Strand me = Strand.here();
    return give(me, item, deadline(me, timeout, unit));
  }

  @Override
  public E take() throws InterruptedException {
    return take(Strand.here(), Strand.NEVER);
  }

  @Override
  public E poll(long timeout, TimeUnit unit) throws InterruptedException {
    Strand me = Strand.here();
    return take(me, deadline(me, timeout, unit));
  }

  @Override
  public int drainTo(Collection<? super E> to) {
    return drainTo(to, Integer.MAX_VALUE);
  }

  @Override
  public int drainTo(Collection<? super E> to, int max) {
    int count = 0;
    for (E item; count < max && (item = poll()) != null; count++) {
      to.add(item);
    }
    return count;
  }
}
