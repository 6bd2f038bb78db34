package dev.fewtaps.samples.programs;

import android.view.View;
import java.util.concurrent.CountDownLatch;

/** A thread waits for a latch and goes on because another one counted it down. */
// Played: open, go, more. In the slice: 1 2 3.
public final class LatchProgram extends Program {
  final CountDownLatch latch = new CountDownLatch(1); // full
  int value = 4; // out

  @Override
  public void go(View view) {
    new Thread(new Waiting()).start(); // full
  }

  @Override
  public void more(View view) {
    value = 0; // full thin
    latch.countDown(); // full
  }

  final class Waiting implements Runnable { // full
    @Override
    public void run() {
      try {
        latch.await(); // full
        shown = 100 / value; // full thin
      } catch (InterruptedException e) {
        shown = -1;
      }
    }
  }
}
