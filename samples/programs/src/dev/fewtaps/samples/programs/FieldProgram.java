package dev.fewtaps.samples.programs;

import android.view.View;

/** A field is read two steps after it was written. */
// Played: open, go, more. In the slice: 1 2 3.
public final class FieldProgram extends Program {
  int people = 2; // full thin
  int chairs = 2; // out

  @Override
  public void go(View view) {
    people = people - 2; // full thin
    chairs = chairs - 1; // out
  }

  @Override
  public void more(View view) {
    shown = 100 / people; // full thin
  }
}
