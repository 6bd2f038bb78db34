package dev.fewtaps.samples.programs;

import android.content.ContentValues;
import android.view.View;

/** A content value comes from the last call with an equal key. */
// Played: open, go. In the slice: 2.
public final class ContentValueProgram extends Program {
  @Override
  public void go(View view) {
    ContentValues values = new ContentValues(); // full
    values.put("other", 4); // out
    values.put("value", 0); // full thin
    int value = values.getAsInteger("value"); // full thin
    shown = 100 / value; // full thin
  }
}
