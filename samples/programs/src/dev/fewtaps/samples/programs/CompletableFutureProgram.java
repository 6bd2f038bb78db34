package dev.fewtaps.samples.programs;

import android.view.View;
import java.util.concurrent.CompletableFuture;

/** A thread waits for a future and goes on with the value that another one completes it with. */
// Played: open, go, more. In the slice: 1 2 3.
public final class CompletableFutureProgram extends Program {
  final CompletableFuture<Integer> other = CompletableFuture.completedFuture(4); // out
  final CompletableFuture<Integer> future = new CompletableFuture<>(); // full

  @Override
  public void go(View view) {
    shown = other.join(); // out
    new Thread(new Joining()).start(); // full
  }

  @Override
  public void more(View view) {
    future.complete(0); // full thin
  }

  final class Joining implements Runnable { // full
    @Override
    public void run() {
      int value = future.join(); // full thin
      shown = 100 / value; // full thin
    }
  }
}
