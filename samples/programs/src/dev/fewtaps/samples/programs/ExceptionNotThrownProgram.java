package dev.fewtaps.samples.programs;

import android.view.View;

/** A call that could have thrown and did not decides nothing. */
// Played: open, go. In the slice: 2.
public final class ExceptionNotThrownProgram extends Program {
  @Override
  public void go(View view) {
    int value = 4; // out
    check(3); // out
    try {
      value = Integer.parseInt("0"); // full thin
    } catch (NumberFormatException e) {
      value = 5;
    }
    shown = 100 / value; // full thin
  }

  private static void check(int value) {
    if (value > 5) { // out
      throw new IllegalArgumentException("too large");
    }
  }
}
