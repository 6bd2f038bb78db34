package dev.fewtaps.samples.programs;

import android.view.View;

/** The first use of a class runs its initialiser: that use is the caller. */
// Played: open, go. In the slice: 2.
public final class ClassInitialiserProgram extends Program {
  @Override
  public void go(View view) {
    Limits.touch(); // full
    shown = 100 / Limits.limit; // full thin
  }

  static final class Limits {
    static int other = first(4); // out
    static int limit = first(0); // full thin

    static int first(int value) {
      return value; // full thin
    }

    static void touch() {}
  }
}
