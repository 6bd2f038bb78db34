package dev.fewtaps.samples.programs;

import android.view.View;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/** A thread waits for a condition of a lock and goes on because another one signalled it. */
// Played: open, go, more. In the slice: 1 2 3.
public final class LockConditionProgram extends Program {
  final Lock lock = new ReentrantLock(); // full
  final Condition changed = lock.newCondition(); // full
  int value = 4; // out

  @Override
  public void go(View view) {
    new Thread(new Waiting()).start(); // full
  }

  @Override
  public void more(View view) {
    lock.lock(); // out
    value = 0; // full thin
    changed.signalAll(); // full
    lock.unlock(); // out
  }

  final class Waiting implements Runnable { // full
    @Override
    public void run() {
      lock.lock(); // out
      changed.awaitUninterruptibly(); // full
      shown = 100 / value; // full thin
    }
  }
}
