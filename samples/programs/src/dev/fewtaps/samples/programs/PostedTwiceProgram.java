package dev.fewtaps.samples.programs;

import android.os.Handler;
import android.view.View;

/** One Runnable is posted twice: the second time led to the crash. */
// Played: open, go. In the slice: 2.
public final class PostedTwiceProgram extends Program {
  int value = 4; // out

  @Override
  public void go(View view) {
    Handler handler = new Handler(); // full
    Runnable divide = new Divide(); // full
    handler.post(divide); // out
    handler.post(new Zero()); // full
    handler.post(divide); // full
  }

  final class Divide implements Runnable { // full
    @Override
    public void run() {
      shown = 100 / value; // full thin
    }
  }

  final class Zero implements Runnable { // full
    @Override
    public void run() {
      value = 0; // full thin
    }
  }
}
