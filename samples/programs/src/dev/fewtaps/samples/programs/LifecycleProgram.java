package dev.fewtaps.samples.programs;

import android.app.Activity;
import android.content.Intent;
import android.os.Bundle;
import android.view.View;

/** Pausing writes what resuming reads; the guest began after the pause and ended at once. */
// Played: open, go. In the slice: 2.
public final class LifecycleProgram extends Program {
  int value = 4; // out

  @Override
  public void go(View view) {
    startActivity(new Intent(this, Guest.class)); // full
  }

  @Override
  protected void onPause() {
    super.onPause(); // out
    value = 0; // full thin
  } // full

  @Override
  protected void onResume() {
    super.onResume(); // out
    shown = 100 / value; // full thin
  }

  /** The activity that ends at once. */
  public static final class Guest extends Activity {
    @Override
    protected void onCreate(Bundle saved) {
      super.onCreate(saved); // out
      finish(); // full
    }
  }
}
