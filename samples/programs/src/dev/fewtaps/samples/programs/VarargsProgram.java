package dev.fewtaps.samples.programs;

import android.view.View;

/** Arguments travel in an array that the caller made. */
// Played: open, go. In the slice: 2.
public final class VarargsProgram extends Program {
  @Override
  public void go(View view) {
    int sum = total(1, 2, -3); // full thin
    shown = 100 / sum; // full thin
  }

  private static int total(int... values) {
    int sum = 0; // full thin
    for (int value : values) { // full thin
      sum += value; // full thin
    }
    return sum; // full thin
  }
}
