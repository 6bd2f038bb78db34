package dev.fewtaps.samples.programs;

import android.os.Bundle;
import android.view.View;
import android.widget.EditText;

/** A text that the user typed is a number that must not be divided by. */
// Played: open, check, type, go. In the slice: 3 4.
public final class TypedTextProgram extends Program {
  @Override
  protected void onCreate(Bundle saved) {
    super.onCreate(saved); // out
    setContentView(R.layout.form); // out
  }

  @Override
  public void go(View view) {
    EditText field = findViewById(R.id.field); // full
    String text = field.getText().toString(); // full thin
    int value = Integer.parseInt(text); // full thin
    shown = 100 / value; // full thin
  }
}
