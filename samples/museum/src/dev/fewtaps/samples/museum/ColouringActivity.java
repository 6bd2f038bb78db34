package dev.fewtaps.samples.museum;

import android.os.Bundle;
import android.widget.Button;
import android.widget.RadioButton;
import android.widget.RadioGroup;
import java.util.ArrayDeque;
import java.util.Deque;

/** A picture to colour; the way back is below it. */
public final class ColouringActivity extends KioskActivity {
  private static final int FIELDS = 14;

  private final Button[] fields = new Button[FIELDS];
  private final Deque<Integer> strokes = new ArrayDeque<>();

  @Override
  protected void onCreate(Bundle savedInstanceState) {
    super.onCreate(savedInstanceState);
    setContentView(R.layout.colouring);
    for (int i = 0; i < FIELDS; i++) {
      int number = i;
      fields[i] = addButton(R.id.fields, getString(R.string.field, i + 1), view -> colour(number));
    }
    findViewById(R.id.undo).setEnabled(false);
    onTap(R.id.undo, this::undo);
    onTap(R.id.clear, this::clear);
    onTap(R.id.back_to_hunt, this::finish);
  }

  private void colour(int number) {
    int chosen = this.<RadioGroup>findViewById(R.id.colour).getCheckedRadioButtonId();
    if (chosen == -1) {
      return;
    }
    CharSequence colour = this.<RadioButton>findViewById(chosen).getText();
    fields[number].setText(getString(R.string.field_coloured, number + 1, colour));
    strokes.push(number);
    findViewById(R.id.undo).setEnabled(true);
  }

  private void undo() {
    // Defect 2: a cleared picture has no strokes, but undo is still enabled.
    int number = strokes.pop();
    fields[number].setText(getString(R.string.field, number + 1));
    findViewById(R.id.undo).setEnabled(!strokes.isEmpty());
  }

  private void clear() {
    strokes.clear();
    for (int i = 0; i < FIELDS; i++) {
      fields[i].setText(getString(R.string.field, i + 1));
    }
  }
}
