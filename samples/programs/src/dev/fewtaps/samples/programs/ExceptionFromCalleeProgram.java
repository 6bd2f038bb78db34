package dev.fewtaps.samples.programs;

import android.view.View;

/** The throw in the called method, and what decided about it, led to the handler. */
// Played: open, go. In the slice: 2.
public final class ExceptionFromCalleeProgram extends Program {
  @Override
  public void go(View view) {
    int value = 4; // out
    try {
      check(7); // full
      value = 5;
    } catch (IllegalArgumentException e) { // out
      value = 0; // full thin
    }
    shown = 100 / value; // full thin
  }

  private static void check(int value) {
    if (value > 5) { // full
      throw new IllegalArgumentException("too large"); // full
    }
  }
}
