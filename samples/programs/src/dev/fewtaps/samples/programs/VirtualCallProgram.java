package dev.fewtaps.samples.programs;

import android.view.View;

/** The receiver decides which method runs: a base reference. */
// Played: open, go. In the slice: 2.
public final class VirtualCallProgram extends Program {
  @Override
  public void go(View view) {
    Shape shape = new Point(); // full
    int sides = shape.sides(); // full thin
    shown = 100 / sides; // full thin
  }

  static class Shape {
    int sides() {
      return 3;
    }
  }

  static final class Point extends Shape {
    @Override
    int sides() {
      return 0; // full thin
    }
  }
}
