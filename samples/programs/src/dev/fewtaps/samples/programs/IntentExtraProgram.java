package dev.fewtaps.samples.programs;

import android.app.Activity;
import android.content.Intent;
import android.os.Bundle;
import android.view.View;

/** An extra survives the copies that starting an activity makes of the intent. */
// Played: open, go. In the slice: 2.
public final class IntentExtraProgram extends Program {
  @Override
  public void go(View view) {
    Intent intent = new Intent(this, Target.class); // full
    intent.putExtra("other", 4); // out
    intent.putExtra("value", 0); // full thin
    startActivity(intent); // full
  }

  /** The activity that reads the extra. */
  public static final class Target extends Activity {
    @Override
    protected void onCreate(Bundle saved) {
      super.onCreate(saved); // out
      int value = getIntent().getIntExtra("value", 1); // full thin
      int share = 100 / value; // full thin
      setTitle("Share " + share);
    }
  }
}
