package dev.fewtaps.samples.programs;

import android.app.Activity;
import android.os.Bundle;
import android.view.View;

/** A small program: a screen with the buttons Go, More and Extra. */
public abstract class Program extends Activity {
  /** Where results go that nothing reads. */
  int shown;

  @Override
  protected void onCreate(Bundle saved) {
    super.onCreate(saved);
    setContentView(R.layout.program);
  }

  /** The button Go. */
  public void go(View view) throws Exception {}

  /** The button More. */
  public void more(View view) throws Exception {}
}
