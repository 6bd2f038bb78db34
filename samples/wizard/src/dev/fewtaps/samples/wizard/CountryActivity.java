package dev.fewtaps.samples.wizard;

import android.os.Bundle;
import android.widget.Spinner;

/** Step 3: a country of the list. */
public final class CountryActivity extends StepActivity {
  public CountryActivity() {
    super(R.string.country, R.layout.country, R.string.country_error);
  }

  @Override
  boolean answer(Bundle order) {
    Spinner spinner = findViewById(R.id.country);
    order.putString("country", String.valueOf(spinner.getSelectedItem()));
    return spinner.getSelectedItemPosition() > 0;
  }
}
