package dev.fewtaps.samples.programs;

import android.view.View;

/** The inner array is a base reference: the making of the outer array made it. */
// Played: open, go. In the slice: 2.
public final class ArrayOfArraysProgram extends Program {
  @Override
  public void go(View view) {
    int[][] rows = new int[2][2]; // full
    rows[0][0] = 4; // out
    rows[1][0] = 0; // full thin
    shown = 100 / corner(rows, 1); // full thin
  }

  private static int corner(int[][] rows, int number) {
    int[] row = rows[number]; // full
    return row[0]; // full thin
  }
}
