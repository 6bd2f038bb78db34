package dev.fewtaps.samples.programs;

import android.view.View;

/** Three calls of one helper are kept apart: only the second made the divisor. */
// Played: open, go. In the slice: 2.
public final class ThreeCallsProgram extends Program {
  @Override
  public void go(View view) {
    int first = twice(1); // out
    int second = twice(0); // full thin
    int third = twice(2); // out
    shown = first + third; // out
    shown = 100 / second; // full thin
  }

  private static int twice(int value) {
    return value * 2; // full thin
  }
}
