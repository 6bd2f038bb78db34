package dev.fewtaps.samples.programs;

import android.view.View;

/** Figure 5 of the ESDroid paper, lines 1 and 2: a condition and the statement it decides about. */
// Played: open, go. In the slice: 2.
public final class FigureFiveBranchProgram extends Program {
  @Override
  public void go(View view) {
    int condition = 1; // full thin
    int other = 2; // out
    if (condition > 0) { // full thin
      throw new IllegalStateException("True"); // full thin
    }
  }
}
