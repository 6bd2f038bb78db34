package dev.fewtaps.samples.programs;

import android.view.View;

/** Each call of the recursion is an instance of its own; the result passes through all of them. */
// Played: open, go. In the slice: 2.
public final class RecursionProgram extends Program {
  @Override
  public void go(View view) {
    int value = down(3); // full thin
    shown = 100 / value; // full thin
  }

  private static int down(int value) {
    if (value == 0) { // full
      return 0; // full thin
    }
    return down(value - 1); // full thin
  }
}
