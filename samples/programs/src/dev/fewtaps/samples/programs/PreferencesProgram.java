package dev.fewtaps.samples.programs;

import android.content.SharedPreferences;
import android.view.View;

/** A preference comes from the last edit with an equal key, through whichever object. */
// Played: open, go, more. In the slice: 2 3.
public final class PreferencesProgram extends Program {
  @Override
  public void go(View view) {
    SharedPreferences written = getSharedPreferences("numbers", MODE_PRIVATE); // full
    written.edit().putInt("other", 4).apply(); // out
    written.edit().putInt("value", 0).apply(); // full thin
  }

  @Override
  public void more(View view) {
    SharedPreferences read = getSharedPreferences("numbers", MODE_PRIVATE); // full
    int value = read.getInt("value", 1); // full thin
    shown = 100 / value; // full thin
  }
}
