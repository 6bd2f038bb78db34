package dev.fewtaps.samples.programs;

import android.view.View;

/** A number is boxed, kept as an object, and unboxed. */
// Played: open, go. In the slice: 2.
public final class BoxingProgram extends Program {
  @Override
  public void go(View view) {
    Integer boxed = 0; // full thin
    Object kept = boxed; // full thin
    Object other = 4; // out
    int value = unboxed(kept); // full thin
    shown = 100 / value; // full thin
  }

  private static int unboxed(Object kept) {
    return (Integer) kept; // full thin
  }
}
