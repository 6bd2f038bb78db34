package dev.fewtaps.samples.programs;

import android.view.View;

/** A reference that was never written is null since its object was made. */
// Played: open, go. In the slice: 2.
public final class NullReferenceProgram extends Program {
  @Override
  public void go(View view) {
    Box box = new Box(); // full thin
    box.other = "x"; // out
    String text = box.text; // full thin
    shown = text.length(); // full thin
  }

  static final class Box {
    String text;
    String other;
  }
}
