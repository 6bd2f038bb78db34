package dev.fewtaps.samples.programs;

import android.app.Activity;
import android.content.Intent;
import android.os.Bundle;
import android.view.View;

/** The result of an activity is handed over by setResult and delivered because of finish. */
// Played: open, go. In the slice: 2.
public final class ActivityResultProgram extends Program {
  @Override
  public void go(View view) {
    startActivityForResult(new Intent(this, Answer.class), 1); // full
  }

  @Override
  protected void onActivityResult(int request, int result, Intent data) {
    int value = data.getIntExtra("value", 1); // full thin
    shown = 100 / value; // full thin
  }

  /** The activity that answers. */
  public static final class Answer extends Activity {
    @Override
    protected void onCreate(Bundle saved) {
      super.onCreate(saved); // out
      Intent answer = new Intent(); // full
      answer.putExtra("value", 0); // full thin
      setResult(RESULT_OK, answer); // full
      finish(); // full
    }
  }
}
