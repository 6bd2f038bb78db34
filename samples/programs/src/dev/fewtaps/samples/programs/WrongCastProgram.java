package dev.fewtaps.samples.programs;

import android.view.View;

/** The object that cannot be cast is in error. */
// Played: open, go. In the slice: 2.
public final class WrongCastProgram extends Program {
  @Override
  public void go(View view) {
    Object thing = "text"; // full thin
    Object other = 4; // out
    Integer number = (Integer) thing; // full thin
    shown = number + other.hashCode();
  }
}
