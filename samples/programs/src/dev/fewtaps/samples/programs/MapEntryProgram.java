package dev.fewtaps.samples.programs;

import android.view.View;
import java.util.HashMap;
import java.util.Map;

/** A value of a map comes from the last call with an equal key. */
// Played: open, go. In the slice: 2.
public final class MapEntryProgram extends Program {
  @Override
  public void go(View view) {
    Map<String, String> names = new HashMap<>(); // full
    names.put("a", "4"); // out
    names.put("a", "0"); // full thin
    names.put("b", "5"); // out
    String name = names.get("a"); // full thin
    int value = Integer.parseInt(name); // full thin
    shown = 100 / value; // full thin
  }
}
