package dev.fewtaps.samples.programs;

import android.view.View;

/** A builder's text was made by all that wrote to this builder, its constructor included. */
// Played: open, go. In the slice: 2.
public final class StringBuildingProgram extends Program {
  @Override
  public void go(View view) {
    StringBuilder text = new StringBuilder(); // full thin
    StringBuilder other = new StringBuilder(); // out
    text.append(shown); // full thin
    other.append(shown); // out
    int value = Integer.parseInt(text.toString()); // full thin
    shown = 100 / value; // full thin
  }
}
