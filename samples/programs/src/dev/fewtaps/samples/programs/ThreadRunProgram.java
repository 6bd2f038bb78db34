package dev.fewtaps.samples.programs;

import android.view.View;

/** Another thread wrote the value; the line that started it and the wait for its end are causes. */
// Played: open, go. In the slice: 2.
public final class ThreadRunProgram extends Program {
  int value = 4; // out

  @Override
  public void go(View view) throws InterruptedException {
    Thread thread = new Thread(new Worker()); // full
    thread.start(); // full
    thread.join(); // full
    shown = 100 / value; // full thin
  }

  final class Worker implements Runnable { // full
    @Override
    public void run() {
      value = 0; // full thin
    }
  }
}
