package dev.fewtaps.samples.programs;

import android.view.View;

/** The condition of a break decides whether the next round runs; the jump decides nothing. */
// Played: open, go. In the slice: 2.
public final class BreakProgram extends Program {
  @Override
  public void go(View view) {
    int value = 3; // full thin
    for (int i = 0; i < 10; i++) { // full
      value--; // full thin
      if (value == 0) { // full
        break; // out
      }
    }
    shown = 100 / value; // full thin
  }
}
