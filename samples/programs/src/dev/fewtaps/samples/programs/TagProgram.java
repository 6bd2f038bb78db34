package dev.fewtaps.samples.programs;

import android.view.View;

/** A view's tag comes from the last call that set it. */
// Played: open, go, more. In the slice: 2 3.
public final class TagProgram extends Program {
  @Override
  public void go(View view) {
    view.setTag("4"); // out
    view.setTag("0"); // out
    findViewById(R.id.more).setTag("0"); // full thin
  }

  @Override
  public void more(View view) {
    int value = Integer.parseInt((String) view.getTag()); // full thin
    shown = 100 / value; // full thin
  }
}
