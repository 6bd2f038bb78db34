package dev.fewtaps.samples.programs;

import android.app.Activity;
import android.content.Intent;
import android.os.Bundle;

/** Figure 5 of the ESDroid paper, lines 3 to 8: an activity that starts another. */
// Played: open. In the slice: 1.
public final class FigureFiveStartProgram extends Program {
  @Override
  protected void onCreate(Bundle saved) {
    super.onCreate(saved); // out
    Intent intent = new Intent(this, Act4.class); // full
    startActivity(intent); // full
  }

  /** The activity that is started. */
  public static final class Act4 extends Activity {
    @Override
    protected void onCreate(Bundle saved) {
      super.onCreate(saved); // out
      int value = 0; // full thin
      setTitle("Share " + 100 / value); // full thin
    }
  }
}
