package dev.fewtaps.samples.wizard;

import android.os.Bundle;
import android.widget.CheckBox;

/** Step 12: a box at the end of a text that must be scrolled. */
public final class ReviewActivity extends StepActivity {
  public ReviewActivity() {
    super(R.string.review, R.layout.review, R.string.review_error);
  }

  @Override
  boolean answer(Bundle order) {
    return this.<CheckBox>findViewById(R.id.read).isChecked();
  }
}
