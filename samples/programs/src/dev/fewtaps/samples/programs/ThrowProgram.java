package dev.fewtaps.samples.programs;

import android.view.View;

/** Of a throw, the condition that led there and what the message was made of are in error. */
// Played: open, go. In the slice: 2.
public final class ThrowProgram extends Program {
  @Override
  public void go(View view) {
    int value = -1; // full thin
    String name = "depth"; // full thin
    String other = "width"; // out
    if (value < 0) { // full thin
      throw new IllegalArgumentException(name + " is " + value); // full thin
    }
    shown = other.length();
  }
}
