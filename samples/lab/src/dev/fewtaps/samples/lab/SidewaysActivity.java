package dev.fewtaps.samples.lab;

import android.content.Intent;
import android.view.MotionEvent;

/** A screen that is always on its side and hides the status bar. */
public final class SidewaysActivity extends LabActivity {
  private static int creations;

  @Override
  protected void fill() {
    say("creation " + ++creations + " " + getString(R.string.orientation));
    button("Rotation", () -> startActivity(new Intent(this, RotationActivity.class)));
  }

  @Override
  public boolean dispatchTouchEvent(MotionEvent event) {
    if (event.getAction() == MotionEvent.ACTION_DOWN) {
      say("touched " + Math.round(event.getX()) + "," + Math.round(event.getY()));
    }
    return super.dispatchTouchEvent(event);
  }
}
