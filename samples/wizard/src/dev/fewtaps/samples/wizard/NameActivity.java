package dev.fewtaps.samples.wizard;

import android.os.Bundle;
import android.widget.EditText;

/** Step 2: a name of two letters or more. */
public final class NameActivity extends StepActivity {
  public NameActivity() {
    super(R.string.name, R.layout.name, R.string.name_error);
  }

  @Override
  boolean answer(Bundle order) {
    String name = this.<EditText>findViewById(R.id.name).getText().toString().trim();
    order.putString("name", name);
    return name.matches("\\p{L}[\\p{L} ]+");
  }
}
