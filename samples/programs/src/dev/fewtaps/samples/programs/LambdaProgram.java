package dev.fewtaps.samples.programs;

import android.view.View;

/** A captured value passes through the making of the lambda. */
// Played: open, go. In the slice: 2.
public final class LambdaProgram extends Program {
  @Override
  public void go(View view) {
    int start = 3; // full thin
    Source source = () -> { // full thin
      return start - 3; // full thin
    };
    int value = source.get(); // full thin
    shown = 100 / value; // full thin
  }

  interface Source {
    int get();
  }
}
