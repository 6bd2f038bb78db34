package dev.fewtaps.samples.programs;

import android.app.Activity;
import android.content.Intent;
import android.view.View;

/** An activity without a constructor that the framework could call: no code of the app is in the stack. */
// Played: open, go. In the slice: 2.
public final class NoFrameProgram extends Program {
  @Override
  public void go(View view) {
    shown = 4; // out
    startActivity(new Intent(this, Unborn.class)); // full thin
  }

  /** Has no constructor without arguments. */
  public static final class Unborn extends Activity {
    final int given;

    public Unborn(int given) {
      this.given = given;
    }
  }
}
