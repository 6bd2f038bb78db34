package dev.fewtaps.samples.programs;

import android.view.View;

/** A loop on the main thread does not end, because what it counts jumps over the limit. */
// Played: open, go, more. In the slice: 1 2 3.
public final class EndlessLoopProgram extends Program {
  int limit = 5; // full thin
  int by = 1; // out

  @Override
  public void go(View view) {
    by = 0; // full thin
  }

  @Override
  public void more(View view) {
    int turns = 0; // out
    int number = 1; // full thin
    while (number < limit) { // full thin
      turns = turns + 1; // out
      number = number + by; // full thin
    }
    shown = turns;
  }
}
