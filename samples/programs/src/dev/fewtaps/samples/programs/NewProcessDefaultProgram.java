package dev.fewtaps.samples.programs;

import android.view.View;

/** Nothing has written a static field in the new process: it has its default value. */
// Played: open, go, die, more. In the slice: 3 4.
public final class NewProcessDefaultProgram extends Program {
  static int divisor;

  @Override
  public void go(View view) {
    divisor = 4; // out
  }

  @Override
  public void more(View view) {
    shown = 100 / divisor; // full thin
  }
}
