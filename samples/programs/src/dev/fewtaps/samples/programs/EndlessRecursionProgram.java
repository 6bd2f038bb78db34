package dev.fewtaps.samples.programs;

import android.view.View;

/** A method calls itself without end, because what it counts stays the same. */
// Played: open, go, more. In the slice: 1 2 3.
public final class EndlessRecursionProgram extends Program {
  int limit = 5; // full thin
  int by = 1; // out

  @Override
  public void go(View view) {
    by = 0; // full thin
  }

  @Override
  public void more(View view) {
    shown = count(1); // full thin
  }

  int count(int number) {
    if (number == limit) { // full thin
      return number;
    }
    return count(number + by); // full thin
  }
}
