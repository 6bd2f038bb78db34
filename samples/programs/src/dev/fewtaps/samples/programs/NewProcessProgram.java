package dev.fewtaps.samples.programs;

import android.os.Bundle;
import android.view.View;

/** A static field has its first value again in a new process; what was saved is there still. */
// Played: open, go, die, more. In the slice: 2 3 4.
public final class NewProcessProgram extends Program {
  static int divisor = Integer.parseInt("0"); // full thin
  int saved = 4; // out

  @Override
  protected void onCreate(Bundle state) {
    super.onCreate(state); // out
    if (state != null) { // full
      saved = state.getInt("saved"); // full thin
    }
  }

  @Override
  protected void onSaveInstanceState(Bundle state) {
    super.onSaveInstanceState(state); // out
    state.putInt("other", 4); // out
    state.putInt("saved", saved); // full thin
  }

  @Override
  public void go(View view) {
    divisor = 4; // out
    saved = 0; // full thin
  }

  @Override
  public void more(View view) {
    shown = 100 / (divisor + saved); // full thin
  }
}
