package dev.fewtaps.samples.programs;

import android.view.View;

/** An inner class reads a field around it, through a reference that its constructor stored. */
// Played: open, go. In the slice: 2.
public final class InnerClassProgram extends Program {
  int limit = 4; // out

  @Override
  public void go(View view) {
    limit = 0; // full thin
    Counter counter = new Counter(); // full
    int left = counter.left(); // full thin
    shown = 100 / left; // full thin
  }

  final class Counter { // full
    int left() {
      return limit; // full thin
    }
  }
}
