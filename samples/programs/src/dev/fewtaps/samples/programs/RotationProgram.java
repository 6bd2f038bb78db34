package dev.fewtaps.samples.programs;

import android.os.Bundle;
import android.view.View;

/** The saved state carries a value from the old activity to the new one. */
// Played: open, go, rotate, more. In the slice: 2 3 4.
public final class RotationProgram extends Program {
  int value = 4; // out

  @Override
  protected void onCreate(Bundle saved) {
    super.onCreate(saved); // out
    if (saved != null) { // full
      value = saved.getInt("value"); // full thin
    }
  }

  @Override
  protected void onSaveInstanceState(Bundle state) {
    super.onSaveInstanceState(state); // out
    state.putInt("other", 4); // out
    state.putInt("value", value); // full thin
  }

  @Override
  public void go(View view) {
    value = 0; // full thin
  }

  @Override
  public void more(View view) {
    shown = 100 / value; // full thin
  }
}
