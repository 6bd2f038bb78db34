package dev.fewtaps.samples.programs;

import android.os.Bundle;
import android.view.View;

/** The line that registered a listener is why it ran. */
// Played: open, go, extra. In the slice: 1 2 3.
public final class ListenerProgram extends Program {
  int value = 4; // out

  @Override
  protected void onCreate(Bundle saved) {
    super.onCreate(saved); // out
    findViewById(R.id.extra).setOnClickListener(new Divide()); // full
  }

  @Override
  public void go(View view) {
    value = 0; // full thin
  }

  final class Divide implements View.OnClickListener { // full
    @Override
    public void onClick(View view) {
      shown = 100 / value; // full thin
    }
  }
}
