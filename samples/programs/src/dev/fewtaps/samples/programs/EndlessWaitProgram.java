package dev.fewtaps.samples.programs;

import android.view.View;

/** The main thread waits for a flag that no other thread will ever set. */
// Played: open, go. In the slice: 1 2.
public final class EndlessWaitProgram extends Program {
  final Object lock = new Object(); // out
  int wanted = 3; // full thin
  int found; // out

  @Override
  public void go(View view) throws InterruptedException {
    shown = 4; // out
    synchronized (lock) { // out
      while (found != wanted) { // full thin
        lock.wait(); // full thin
      }
    }
  }
}
