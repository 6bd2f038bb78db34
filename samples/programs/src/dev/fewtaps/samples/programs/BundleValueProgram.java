package dev.fewtaps.samples.programs;

import android.os.Bundle;
import android.view.View;

/** A value of a bundle comes from the last call with an equal key. */
// Played: open, go. In the slice: 2.
public final class BundleValueProgram extends Program {
  @Override
  public void go(View view) {
    Bundle bundle = new Bundle(); // full
    bundle.putInt("other", 4); // out
    bundle.putInt("value", 0); // full thin
    int value = bundle.getInt("value"); // full thin
    shown = 100 / value; // full thin
  }
}
