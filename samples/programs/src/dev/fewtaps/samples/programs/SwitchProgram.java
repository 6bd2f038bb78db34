package dev.fewtaps.samples.programs;

import android.view.View;

/** A switch decides which of its cases runs. */
// Played: open, go. In the slice: 2.
public final class SwitchProgram extends Program {
  @Override
  public void go(View view) {
    int mode = 2; // full
    int value;
    switch (mode) { // full
      case 1:
        value = 4;
        break;
      case 2:
        value = 0; // full thin
        break; // out
      default:
        value = 5;
        break;
    }
    shown = 100 / value; // full thin
  }
}
