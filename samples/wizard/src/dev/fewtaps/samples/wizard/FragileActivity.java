package dev.fewtaps.samples.wizard;

import android.os.Bundle;
import android.widget.Button;

/** Step 9: a button that must be held. */
public final class FragileActivity extends StepActivity {
  private boolean promised;

  public FragileActivity() {
    super(R.string.fragile, R.layout.fragile, R.string.fragile_error);
  }

  @Override
  void prepare() {
    Button button = findViewById(R.id.fragile);
    button.setOnClickListener(view -> complain(getString(R.string.fragile_error)));
    button.setOnLongClickListener(
        view -> {
          promised = true;
          button.setText(R.string.promised);
          return true;
        });
  }

  @Override
  boolean answer(Bundle order) {
    return promised;
  }
}
