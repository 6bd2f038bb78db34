package dev.fewtaps.samples.programs;

import android.view.View;

/** Ends its own process, because nothing is left. */
// Played: open, go, more. In the slice: 1 2 3.
public final class ExitProgram extends Program {
  int left = 1; // full thin

  @Override
  public void go(View view) {
    left = left - 1; // full thin
    shown = 4; // out
  }

  @Override
  public void more(View view) {
    shown = 5; // out
    if (left == 0) { // full thin
      System.exit(3); // full thin
    }
  }
}
