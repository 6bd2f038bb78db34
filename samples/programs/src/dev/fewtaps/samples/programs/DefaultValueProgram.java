package dev.fewtaps.samples.programs;

import android.view.View;

/** A field that was never written has the value that the making of its object gave it. */
// Played: open, go. In the slice: 2.
public final class DefaultValueProgram extends Program {
  @Override
  public void go(View view) {
    Box box = new Box(); // full thin
    shown = 100 / box.value; // full thin
  }

  static final class Box {
    int value;
  }
}
