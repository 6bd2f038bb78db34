package dev.fewtaps.twin.world;

import java.util.concurrent.Exchanger;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A meeting of two threads that wait in virtual time. */
@ReplacesType("java/util/concurrent/Exchanger")
public class WorldExchanger<V> extends Exchanger<V> {
  /** The thread that came first. */
  private static final class Offer {
    Object mine;
    Object theirs;
    volatile boolean met;
  }

  private Offer open;

  public WorldExchanger() {}

  @Override
  public V exchange(V item) throws InterruptedException {
    if (Strand.here() == null) {
      return super.exchange(item);
    }
    try {
      return exchange(item, Strand.NEVER);
    } catch (TimeoutException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public V exchange(V item, long timeout, TimeUnit unit)
      throws InterruptedException, TimeoutException {
    Strand me = Strand.here();
    return me == null
        ? super.exchange(item, timeout, unit)
        : exchange(item, Wait.deadline(me, timeout, unit));
  }

  @SuppressWarnings("unchecked")
  private V exchange(V item, long deadline) throws InterruptedException, TimeoutException {
    Offer other = open;
    if (other != null) {
      open = null;
      other.theirs = item;
      other.met = true;
      return (V) other.mine;
    }
    Offer mine = new Offer();
    mine.mine = item;
    open = mine;
    try {
      Wait.until(Strand.here(), () -> mine.met, deadline);
    } finally {
      if (open == mine) {
        open = null;
      }
    }
    if (!mine.met) {
      throw new TimeoutException();
    }
    return (V) mine.theirs;
  }
}
