package dev.fewtaps.samples.programs;

import android.view.View;
import java.util.HashSet;
import java.util.Set;

/** Whether a set has a member comes from the last call with an equal one. */
// Played: open, go. In the slice: 2.
public final class SetMemberProgram extends Program {
  @Override
  public void go(View view) {
    Set<String> names = new HashSet<>(); // full
    names.add("a"); // out
    names.add("b"); // full thin
    names.add("c"); // out
    if (names.contains("b")) { // full thin
      throw new IllegalStateException("b is there"); // full thin
    }
  }
}
