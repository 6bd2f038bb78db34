package dev.fewtaps.samples.programs;

import android.view.View;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/** What an iterator gives was put into what it walks over. */
// Played: open, go. In the slice: 2.
public final class IteratorNextProgram extends Program {
  @Override
  public void go(View view) {
    List<String> names = new ArrayList<>(); // full
    names.add("0"); // full thin
    names.add("4"); // out
    Iterator<String> each = names.iterator(); // full
    String name = each.next(); // full thin
    int value = Integer.parseInt(name); // full thin
    shown = 100 / value; // full thin
  }
}
