package dev.fewtaps.samples.programs;

import android.view.View;

/** Makes an array that no memory can hold. */
// Played: open, go, more. In the slice: 2 3.
public final class FullMemoryProgram extends Program {
  int rows = 1; // out
  long[] kept;

  @Override
  public void go(View view) {
    rows = 2_000_000_000; // full thin
  }

  @Override
  public void more(View view) {
    shown = 4; // out
    if (rows > 0) { // full thin
      kept = new long[rows]; // full thin
    }
  }
}
