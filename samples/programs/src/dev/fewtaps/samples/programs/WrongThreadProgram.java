package dev.fewtaps.samples.programs;

import android.view.View;

/** A thread touches a view, which only the main thread may do: the line in error is the one that started the thread. */
// Played: open, go. In the slice: 2.
public final class WrongThreadProgram extends Program {
  @Override
  public void go(View view) {
    shown = 4; // out
    new Thread(new Touching()).start(); // full thin
  }

  final class Touching implements Runnable { // out
    @Override
    public void run() {
      shown = 5; // out
      findViewById(R.id.more).setVisibility(View.GONE); // full thin
    }
  }
}
