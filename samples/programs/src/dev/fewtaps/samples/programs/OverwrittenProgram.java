package dev.fewtaps.samples.programs;

import android.view.View;

/** Only the last write of a location counts. */
// Played: open, go. In the slice: 2.
public final class OverwrittenProgram extends Program {
  int value = 5; // out

  @Override
  public void go(View view) {
    value = 4; // out
    value = 3; // out
    value = 0; // full thin
    shown = 100 / value; // full thin
  }
}
