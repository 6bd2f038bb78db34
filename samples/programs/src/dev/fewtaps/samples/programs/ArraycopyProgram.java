package dev.fewtaps.samples.programs;

import android.view.View;

/** A copied element comes from the write of the element it was copied from. */
// Played: open, go. In the slice: 2.
public final class ArraycopyProgram extends Program {
  @Override
  public void go(View view) {
    int[] from = new int[2]; // full
    from[0] = 4; // out
    from[1] = 0; // full thin
    int[] to = new int[3]; // full
    to[2] = 5; // out
    System.arraycopy(from, 0, to, 1, 2); // full thin
    shown = 100 / to[2]; // full thin
  }
}
