package dev.fewtaps.samples.programs;

import android.view.View;

/** Elements of one array are told apart. */
// Played: open, go. In the slice: 2.
public final class ArrayProgram extends Program {
  @Override
  public void go(View view) {
    int[] values = new int[3]; // full
    int index = 1; // full
    values[0] = 4; // out
    values[index] = 0; // full thin
    values[2] = 5; // out
    shown = 100 / values[1]; // full thin
  }
}
