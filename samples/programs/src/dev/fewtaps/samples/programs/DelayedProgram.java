package dev.fewtaps.samples.programs;

import android.os.Handler;
import android.view.View;

/** Delayed work runs in a later step than the one that posted it. */
// Played: open, go, wait. In the slice: 2 3.
public final class DelayedProgram extends Program {
  int value = 4; // out

  @Override
  public void go(View view) {
    value = 0; // full thin
    new Handler().postDelayed(new Divide(), 5000); // full
  }

  final class Divide implements Runnable { // full
    @Override
    public void run() {
      shown = 100 / value; // full thin
    }
  }
}
