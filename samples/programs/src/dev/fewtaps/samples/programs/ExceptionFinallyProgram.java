package dev.fewtaps.samples.programs;

import android.view.View;

/** The division runs in the copy of the block that an exception leads to. */
// Played: open, go. In the slice: 2.
public final class ExceptionFinallyProgram extends Program {
  @Override
  public void go(View view) {
    String text = "x"; // full
    int value = 0; // full thin
    try {
      value = Integer.parseInt(text); // full
    } finally {
      shown = 100 / value; // full thin
    }
  }
}
