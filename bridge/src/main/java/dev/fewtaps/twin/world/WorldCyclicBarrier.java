package dev.fewtaps.twin.world;

import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A barrier whose parties wait in virtual time. */
@ReplacesType("java/util/concurrent/CyclicBarrier")
public class WorldCyclicBarrier extends CyclicBarrier {
  /** One filling of the barrier. */
  private static final class Round {
    volatile boolean open;
    volatile boolean broken;
    int waiting;
  }

  private final Runnable action;
  private Round round = new Round();

  public WorldCyclicBarrier(int parties) {
    this(parties, null);
  }

  public WorldCyclicBarrier(int parties, Runnable action) {
    super(parties, action);
    this.action = action;
  }

  @Override
  public int await() throws InterruptedException, BrokenBarrierException {
    if (Strand.here() == null) {
      return super.await();
    }
    try {
      return await(Strand.NEVER);
    } catch (TimeoutException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public int await(long timeout, TimeUnit unit)
      throws InterruptedException, BrokenBarrierException, TimeoutException {
    Strand me = Strand.here();
    return me == null ? super.await(timeout, unit) : await(Wait.deadline(me, timeout, unit));
  }

  private int await(long deadline)
      throws InterruptedException, BrokenBarrierException, TimeoutException {
    Round mine = round;
    if (mine.broken) {
      throw new BrokenBarrierException();
    }
    int index = getParties() - ++mine.waiting;
    if (index == 0) {
      boolean ran = false;
      try {
        if (action != null) {
          action.run();
        }
        ran = true;
      } finally {
        mine.broken = !ran;
        mine.open = ran;
        round = ran ? new Round() : mine;
      }
      return 0;
    }
    try {
      Wait.until(Strand.here(), () -> mine.open || mine.broken, deadline);
    } catch (InterruptedException e) {
      mine.broken = true;
      throw e;
    }
    if (mine.broken) {
      throw new BrokenBarrierException();
    }
    if (!mine.open) {
      mine.broken = true;
      throw new TimeoutException();
    }
    return index;
  }

  @Override
  public boolean isBroken() {
    return round.broken || super.isBroken();
  }

  @Override
  public void reset() {
    super.reset();
    round.broken = true;
    round = new Round();
  }

  @Override
  public int getNumberWaiting() {
    return round.broken ? 0 : round.waiting + super.getNumberWaiting();
  }
}
