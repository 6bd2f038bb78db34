package dev.fewtaps.samples.programs;

import android.view.View;

/** The size of the array is in error. */
// Played: open, go, more. In the slice: 1 2 3.
public final class NegativeSizeProgram extends Program {
  int size = 3; // full thin
  int other = 3; // out

  @Override
  public void go(View view) {
    size = size - 4; // full thin
    other = other - 4; // out
  }

  @Override
  public void more(View view) {
    int[] values = new int[size]; // full thin
    shown = values.length + other;
  }
}
