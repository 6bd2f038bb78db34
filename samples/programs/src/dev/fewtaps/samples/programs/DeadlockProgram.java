package dev.fewtaps.samples.programs;

import android.view.View;

/** Two threads hold a monitor each, and want that of the other one. */
// Played: open, go, more. In the slice: 1 2 3.
public final class DeadlockProgram extends Program {
  final Object left = new Object(); // full
  final Object right = new Object(); // full
  volatile boolean taken;

  @Override
  public void go(View view) {
    new Thread(new Other()).start(); // full
  }

  @Override
  public void more(View view) throws InterruptedException {
    synchronized (left) { // full thin
      while (!taken) { // out
        Thread.sleep(10);
      }
      synchronized (right) { // full thin
        shown = 4;
      }
    }
  }

  final class Other implements Runnable { // full
    @Override
    public void run() {
      synchronized (right) { // full thin
        taken = true; // out
        try {
          Thread.sleep(2000); // out
        } catch (InterruptedException e) {
          shown = -1;
        }
        synchronized (left) { // full thin
          shown = 3;
        }
      }
    }
  }
}
