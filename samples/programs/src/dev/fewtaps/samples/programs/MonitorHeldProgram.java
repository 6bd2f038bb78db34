package dev.fewtaps.samples.programs;

import android.view.View;
import java.util.concurrent.CountDownLatch;

/** The main thread waits for a monitor that another thread holds, which waits for what will never be. */
// Played: open, go, more. In the slice: 1 2 3.
public final class MonitorHeldProgram extends Program {
  final Object lock = new Object(); // full
  final Object other = new Object(); // out
  final CountDownLatch opened = new CountDownLatch(1); // full
  int value = 4; // out

  @Override
  public void go(View view) {
    new Thread(new Keeper()).start(); // full
  }

  @Override
  public void more(View view) {
    synchronized (other) { // out
      value = 3; // out
    }
    synchronized (lock) { // full thin
      shown = value;
    }
  }

  final class Keeper implements Runnable { // full
    @Override
    public void run() {
      synchronized (other) { // out
        value = 2; // out
      }
      synchronized (lock) { // full thin
        try {
          opened.await(); // full thin
        } catch (InterruptedException e) {
          shown = -1;
        }
      }
    }
  }
}
