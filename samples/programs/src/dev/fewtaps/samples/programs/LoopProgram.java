package dev.fewtaps.samples.programs;

import android.view.View;

/** A loop's condition decides about its body and about nothing behind it. */
// Played: open, go. In the slice: 2.
public final class LoopProgram extends Program {
  @Override
  public void go(View view) {
    int value = 3; // full thin
    int sum = 0; // out
    for (int i = 0; i < 3; i++) { // full
      value--; // full thin
      sum += i; // out
    }
    shown = 100 / value; // full thin
  }
}
