package dev.fewtaps.samples.wizard;

import android.os.Bundle;
import android.widget.Button;
import android.widget.GridLayout;
import android.widget.TextView;

/** Step 10: digits in the right order. */
public final class PinActivity extends StepActivity {
  private static final String RIGHT = "314";

  private String digits = "";

  public PinActivity() {
    super(R.string.pin, R.layout.pin, R.string.pin_error);
  }

  @Override
  void prepare() {
    GridLayout keys = findViewById(R.id.keys);
    for (int digit = 1; digit <= 9; digit++) {
      Button key = new Button(this);
      key.setText(String.valueOf(digit));
      key.setOnClickListener(view -> type(key.getText()));
      keys.addView(key);
    }
  }

  private void type(CharSequence digit) {
    // A fourth digit starts anew.
    digits = digits.length() >= RIGHT.length() ? digit.toString() : digits + digit;
    this.<TextView>findViewById(R.id.digits).setText(digits);
  }

  @Override
  boolean answer(Bundle order) {
    return digits.equals(RIGHT);
  }
}
