package dev.fewtaps.samples.programs;

import android.view.View;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;

/** The sort calls back before it returns: it is the caller of the comparison. */
// Played: open, go. In the slice: 2.
public final class ComparatorCallProgram extends Program {
  @Override
  public void go(View view) {
    List<int[]> rows = new ArrayList<>(); // full
    rows.add(new int[] {4}); // out
    rows.add(new int[] {0}); // full thin
    Comparator<int[]> order = (a, b) -> { // full
      return 100 / a[0]; // full thin
    };
    Collections.sort(rows, order); // full
  }
}
