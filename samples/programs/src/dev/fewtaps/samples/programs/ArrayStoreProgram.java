package dev.fewtaps.samples.programs;

import android.view.View;

/** An element that the array cannot hold is in error, and neither the array nor the index. */
// Played: open, go, more. In the slice: 2 3.
public final class ArrayStoreProgram extends Program {
  Object thing = 4; // out

  @Override
  public void go(View view) {
    thing = "text"; // full thin
  }

  @Override
  public void more(View view) {
    Object[] things = new Integer[2]; // out
    things[1] = thing; // full thin
    shown = things.length;
  }
}
