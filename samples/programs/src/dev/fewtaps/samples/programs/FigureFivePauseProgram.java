package dev.fewtaps.samples.programs;

import android.app.Activity;
import android.content.Intent;
import android.os.Bundle;

/** Figure 5 of the ESDroid paper, lines 9 to 15: onCreate waits for the other one's onPause. */
// Played: open. In the slice: 1.
public final class FigureFivePauseProgram extends Program {
  @Override
  protected void onCreate(Bundle saved) {
    super.onCreate(saved); // out
    Intent intent = new Intent(this, Act8.class); // full
    startActivity(intent); // full
  }

  @Override
  protected void onPause() {
    super.onPause(); // out
  } // full

  /** The activity that waits. */
  public static final class Act8 extends Activity {
    @Override
    protected void onCreate(Bundle saved) {
      super.onCreate(saved); // out
      int value = 0; // full thin
      setTitle("Share " + 100 / value); // full thin
    }
  }
}
