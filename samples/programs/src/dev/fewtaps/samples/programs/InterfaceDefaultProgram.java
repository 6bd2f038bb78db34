package dev.fewtaps.samples.programs;

import android.view.View;

/** The method that runs is the default of an interface. */
// Played: open, go. In the slice: 2.
public final class InterfaceDefaultProgram extends Program {
  @Override
  public void go(View view) {
    Sized sized = new Empty(); // full
    int size = sized.size(); // full thin
    shown = 100 / size; // full thin
  }

  interface Sized {
    default int size() {
      return 0; // full thin
    }
  }

  static final class Empty implements Sized {}
}
