package dev.fewtaps.samples.programs;

import android.view.View;

/** Index and array are in error: where the index came from, and where the length was decided. */
// Played: open, go. In the slice: 2.
public final class IndexOutOfBoundsProgram extends Program {
  @Override
  public void go(View view) {
    int size = 2; // full thin
    int[] values = new int[size]; // full thin
    int index = size; // full thin
    values[0] = 4; // out
    shown = values[index]; // full thin
  }
}
