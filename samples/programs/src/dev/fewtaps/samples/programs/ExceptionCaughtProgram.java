package dev.fewtaps.samples.programs;

import android.view.View;

/** What runs in a handler was decided by the instruction that threw. */
// Played: open, go. In the slice: 2.
public final class ExceptionCaughtProgram extends Program {
  @Override
  public void go(View view) {
    String text = "x"; // full
    int value;
    try {
      value = Integer.parseInt(text); // full
    } catch (NumberFormatException e) { // out
      value = 0; // full thin
    }
    shown = 100 / value; // full thin
  }
}
