package dev.fewtaps.samples.programs;

import android.view.View;

/** Figure 4 of the ESDroid paper: one event reads what another wrote. */
// Played: open, go, more. In the slice: 2 3.
public final class FigureFourProgram extends Program {
  int o1 = 5; // out
  int o2 = 5; // out

  @Override
  public void go(View view) {
    o1 = 1; // full thin
  }

  @Override
  public void more(View view) {
    o2 = o1 + 2; // full thin
    shown = 100 / (o2 - 3); // full thin
  }
}
