package dev.fewtaps.samples.wizard;

import android.os.Bundle;
import android.widget.RadioGroup;

/** Step 5: one of three sizes. */
public final class SizeActivity extends StepActivity {
  public SizeActivity() {
    super(R.string.size, R.layout.size, R.string.size_error);
  }

  @Override
  boolean answer(Bundle order) {
    int chosen = this.<RadioGroup>findViewById(R.id.size).getCheckedRadioButtonId();
    order.putBoolean("bulky", chosen == R.id.large);
    return chosen != -1;
  }
}
