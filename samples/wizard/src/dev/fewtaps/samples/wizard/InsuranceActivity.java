package dev.fewtaps.samples.wizard;

import android.app.AlertDialog;
import android.os.Bundle;
import android.widget.CompoundButton;
import android.widget.Switch;

/** Step 7: a switch whose dialog must be confirmed. */
public final class InsuranceActivity extends StepActivity {
  private boolean understood;

  public InsuranceActivity() {
    super(R.string.insurance, R.layout.insurance, R.string.insurance_error);
  }

  @Override
  void prepare() {
    this.<Switch>findViewById(R.id.insurance).setOnCheckedChangeListener(this::switched);
  }

  private void switched(CompoundButton button, boolean on) {
    understood = false;
    if (on) {
      new AlertDialog.Builder(this)
          .setMessage(R.string.insurance_text)
          .setPositiveButton(R.string.understood, (dialog, which) -> understood = true)
          .show();
    }
  }

  @Override
  boolean answer(Bundle order) {
    return understood && this.<Switch>findViewById(R.id.insurance).isChecked();
  }
}
