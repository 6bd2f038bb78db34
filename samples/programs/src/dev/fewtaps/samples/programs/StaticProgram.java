package dev.fewtaps.samples.programs;

import android.view.View;

/** A static field outlives the step that wrote it. */
// Played: open, go, more. In the slice: 2 3.
public final class StaticProgram extends Program {
  static int limit = 4; // out

  @Override
  public void go(View view) {
    limit = 0; // full thin
  }

  @Override
  public void more(View view) {
    shown = 100 / limit; // full thin
  }
}
