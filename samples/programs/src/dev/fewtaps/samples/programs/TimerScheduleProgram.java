package dev.fewtaps.samples.programs;

import android.view.View;
import java.util.Timer;
import java.util.TimerTask;

/** A timer's thread runs what was scheduled. */
// Played: open, go, wait. In the slice: 2 3.
public final class TimerScheduleProgram extends Program {
  int value = 4; // out

  @Override
  public void go(View view) {
    value = 0; // full thin
    Timer timer = new Timer(); // full
    timer.schedule(new Divide(), 5000); // full
  }

  final class Divide extends TimerTask { // full
    @Override
    public void run() {
      shown = 100 / value; // full thin
    }
  }
}
