package dev.fewtaps.samples.programs;

import android.view.View;
import java.util.ArrayList;
import java.util.List;

/** An element of a list comes from the call that put it there. */
// Played: open, go. In the slice: 2.
public final class ListElementProgram extends Program {
  @Override
  public void go(View view) {
    List<String> names = new ArrayList<>(); // full
    names.add("4"); // out
    names.add("0"); // full thin
    names.add("5"); // out
    String name = names.get(1); // full thin
    int value = Integer.parseInt(name); // full thin
    shown = 100 / value; // full thin
  }
}
