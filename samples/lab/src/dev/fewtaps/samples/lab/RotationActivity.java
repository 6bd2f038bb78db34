package dev.fewtaps.samples.lab;

import android.os.Bundle;
import android.widget.EditText;

/** Keeps one counter over a rotation and forgets another. */
public final class RotationActivity extends LabActivity {
  private static int creations;

  private int kept;
  private int forgotten;

  @Override
  protected void onCreate(Bundle savedInstanceState) {
    super.onCreate(savedInstanceState);
    creations++;
    if (savedInstanceState != null) {
      kept = savedInstanceState.getInt("kept");
    }
    report();
    say("last instance: " + getLastNonConfigurationInstance());
  }

  @Override
  protected void fill() {
    EditText field = new EditText(this);
    field.setId(R.id.field);
    field.setHint("survives");
    extra(field);
    button(
        "Count",
        () -> {
          kept++;
          forgotten++;
          report();
        });
    button("Recreate", this::recreate);
  }

  private void report() {
    say(
        getString(R.string.orientation)
            + " creation " + creations + " kept " + kept + " forgotten " + forgotten);
  }

  @Override
  protected void onSaveInstanceState(Bundle outState) {
    super.onSaveInstanceState(outState);
    outState.putInt("kept", kept);
  }

  @Override
  public Object onRetainNonConfigurationInstance() {
    return "retained " + kept;
  }
}
