package dev.fewtaps.samples.programs;

import android.database.MatrixCursor;
import android.view.View;

/** A column's value was written with its row; the cursor's position is an index. */
// Played: open, go. In the slice: 2.
public final class CursorRowProgram extends Program {
  @Override
  public void go(View view) {
    MatrixCursor rows = new MatrixCursor(new String[] {"name", "value"}); // full
    rows.addRow(new Object[] {"a", 0}); // full thin
    rows.moveToFirst(); // full
    int value = rows.getInt(1); // full thin
    shown = 100 / value; // full thin
  }
}
