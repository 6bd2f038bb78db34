package dev.fewtaps.samples.programs;

import android.view.View;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** A thread waits at a queue and goes on with what another one puts into it. */
// Played: open, go, more. In the slice: 1 2 3.
public final class BlockingQueueProgram extends Program {
  final BlockingQueue<Integer> queue = new LinkedBlockingQueue<>(); // full

  @Override
  public void go(View view) {
    new Thread(new Taking()).start(); // full
  }

  @Override
  public void more(View view) {
    queue.add(0); // full thin
    queue.add(4); // out
  }

  final class Taking implements Runnable { // full
    @Override
    public void run() {
      try {
        int value = queue.take(); // full thin
        shown = 100 / value; // full thin
      } catch (InterruptedException e) {
        shown = -1;
      }
    }
  }
}
