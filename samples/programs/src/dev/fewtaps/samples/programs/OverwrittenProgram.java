package dev.fewtaps.samples.programs;

import android.view.View;

/** Only the last write of a location counts. */
// Played: open, go, more. In the slice: 2 3.
public final class OverwrittenProgram extends Program {
  int value = 5; // out

  @Override
  public void go(View view) {
    value = 4; // out
    value = 3; // out
    value = 0; // full thin
  }

  @Override
  public void more(View view) {
    shown = 100 / value; // full thin
  }
}
