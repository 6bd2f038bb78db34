package dev.fewtaps.samples.programs;

import android.os.Bundle;
import android.view.View;
import android.widget.CheckBox;

/** A box that the user checked decides about the divisor. */
// Played: open, type, check, go. In the slice: 3 4.
public final class CheckedBoxProgram extends Program {
  @Override
  protected void onCreate(Bundle saved) {
    super.onCreate(saved); // out
    setContentView(R.layout.form); // out
  }

  @Override
  public void go(View view) {
    CheckBox box = findViewById(R.id.box); // full
    int value = 4; // out
    if (box.isChecked()) { // full
      value = 0; // full thin
    }
    shown = 100 / value; // full thin
  }
}
