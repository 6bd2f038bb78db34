package dev.fewtaps.samples.labels;

import android.app.Activity;
import android.os.Bundle;
import android.text.TextUtils;
import android.util.Log;
import android.widget.CheckBox;
import android.widget.EditText;
import android.widget.TextView;
import android.widget.Toast;

/** One label, in every place that can hold one. */
public final class LabelActivity extends Activity {
  static final String EXTRA_NUMBER = "number";

  private String label;

  @Override
  protected void onCreate(Bundle savedInstanceState) {
    super.onCreate(savedInstanceState);
    setContentView(R.layout.label);
    String number = getIntent().getStringExtra(EXTRA_NUMBER);
    label = Labels.ALL.get(number == null ? 0 : Integer.parseInt(number));
    if (!label.isEmpty()) {
      setTitle(label);
    }
    this.<TextView>findViewById(R.id.label).setText(label);
    this.<TextView>findViewById(R.id.label).setContentDescription(label);
    this.<EditText>findViewById(R.id.field).setText(label);
    CheckBox box = findViewById(R.id.box);
    box.setText(label);
    box.setMaxLines(2);
    box.setOnCheckedChangeListener((view, checked) -> say());
    findViewById(R.id.crash).setOnClickListener(view -> crash());
    Log.i("labels", label);
  }

  private void say() {
    Toast.makeText(this, label, Toast.LENGTH_SHORT).show();
  }

  private void crash() {
    // The defect: it has one. Its message is everything that a report may have to show.
    throw new IllegalStateException(label + "\n" + TextUtils.join("\n", Labels.ALL));
  }
}
