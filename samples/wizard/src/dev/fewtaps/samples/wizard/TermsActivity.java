package dev.fewtaps.samples.wizard;

import android.os.Bundle;
import android.widget.CheckBox;

/** Step 1: the terms must be accepted. */
public final class TermsActivity extends StepActivity {
  public TermsActivity() {
    super(R.string.terms, R.layout.terms, R.string.terms_error);
  }

  @Override
  boolean answer(Bundle order) {
    return this.<CheckBox>findViewById(R.id.terms).isChecked();
  }
}
