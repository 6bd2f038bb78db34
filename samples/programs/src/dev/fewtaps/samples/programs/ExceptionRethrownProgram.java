package dev.fewtaps.samples.programs;

import android.view.View;

/** A second exception with the first as its cause: the root cause is a division. */
// Played: open, go. In the slice: 2.
public final class ExceptionRethrownProgram extends Program {
  @Override
  public void go(View view) {
    int people = 0; // full thin
    int chairs = 4; // out
    try {
      shown = divide(people); // full thin
    } catch (ArithmeticException e) { // full thin
      throw new IllegalStateException("cannot divide", e); // full thin
    }
  }

  private static int divide(int by) {
    return 100 / by; // full thin
  }
}
