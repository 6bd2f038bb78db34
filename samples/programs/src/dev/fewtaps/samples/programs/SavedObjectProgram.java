package dev.fewtaps.samples.programs;

import android.os.Bundle;
import android.view.View;
import java.io.Serializable;
import java.util.ArrayList;

/** An object and a list come back from the saved state as copies; their content is that of the originals. */
// Played: open, go, die, more. In the slice: 1 2 3 4.
public final class SavedObjectProgram extends Program {
  Box box = new Box(); // full thin
  ArrayList<String> words = new ArrayList<>(); // full thin

  @Override
  protected void onCreate(Bundle state) {
    super.onCreate(state); // out
    if (state != null) { // full
      box = (Box) state.getSerializable("box"); // full thin
      words = state.getStringArrayList("words"); // full thin
    }
  }

  @Override
  protected void onSaveInstanceState(Bundle state) {
    super.onSaveInstanceState(state); // out
    state.putSerializable("box", box); // full thin
    state.putStringArrayList("words", words); // full thin
  }

  @Override
  public void go(View view) {
    box.other = 4; // out
    box.value = 0; // full thin
    words.add("0"); // full thin
  }

  @Override
  public void more(View view) {
    shown = 100 / (box.value + Integer.parseInt(words.get(0))); // full thin
  }

  static final class Box implements Serializable {
    private static final long serialVersionUID = 1;
    int value;
    int other;
  }
}
