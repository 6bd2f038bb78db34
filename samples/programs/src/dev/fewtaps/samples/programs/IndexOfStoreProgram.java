package dev.fewtaps.samples.programs;

import android.view.View;

/** A write beyond the end: index and array are in error, and not the value that is written. */
// Played: open, go, more. In the slice: 2 3.
public final class IndexOfStoreProgram extends Program {
  int size;
  int value;

  @Override
  public void go(View view) {
    size = 2; // full thin
    value = 7; // out
  }

  @Override
  public void more(View view) {
    int[] values = new int[size]; // full thin
    values[size] = value; // full thin
    shown = values[0];
  }
}
