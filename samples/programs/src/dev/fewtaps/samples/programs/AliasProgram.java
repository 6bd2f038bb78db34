package dev.fewtaps.samples.programs;

import android.view.View;

/** One object under two names. */
// Played: open, go. In the slice: 2.
public final class AliasProgram extends Program {
  @Override
  public void go(View view) {
    Box first = new Box(); // full
    Box second = first; // full
    first.value = 4; // out
    second.value = 0; // full thin
    shown = 100 / read(first); // full thin
  }

  private static int read(Box box) {
    return box.value; // full thin
  }

  static final class Box {
    int value;
  }
}
