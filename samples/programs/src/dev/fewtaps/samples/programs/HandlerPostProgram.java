package dev.fewtaps.samples.programs;

import android.os.Handler;
import android.view.View;

/** The line that posted the work is why it ran. */
// Played: open, go. In the slice: 2.
public final class HandlerPostProgram extends Program {
  int value = 4; // out

  @Override
  public void go(View view) {
    value = 0; // full thin
    new Handler().post(new Divide()); // full
    new Handler().post(new Nothing()); // out
  }

  final class Divide implements Runnable { // full
    @Override
    public void run() {
      shown = 100 / value; // full thin
    }
  }

  static final class Nothing implements Runnable {
    @Override
    public void run() {}
  }
}
