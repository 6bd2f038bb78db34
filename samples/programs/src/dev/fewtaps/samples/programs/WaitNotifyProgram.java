package dev.fewtaps.samples.programs;

import android.view.View;

/** A waiting thread goes on because another one woke it. The flag was false when it waited. */
// Played: open, go, more. In the slice: 1 2 3.
public final class WaitNotifyProgram extends Program {
  final Object lock = new Object(); // full
  int value = 4; // out
  boolean ready;

  @Override
  public void go(View view) {
    new Thread(new Consumer()).start(); // full
  }

  @Override
  public void more(View view) {
    synchronized (lock) { // out
      value = 0; // full thin
      ready = true; // out
      lock.notifyAll(); // full
    }
  }

  void await() throws InterruptedException {
    synchronized (lock) { // out
      while (!ready) { // full
        lock.wait(); // full
      }
    }
    shown = 100 / value; // full thin
  }

  final class Consumer implements Runnable { // full
    @Override
    public void run() {
      try {
        await(); // full
      } catch (InterruptedException e) {
        shown = -1;
      }
    }
  }
}
