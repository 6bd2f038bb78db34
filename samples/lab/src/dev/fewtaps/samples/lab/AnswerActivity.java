package dev.fewtaps.samples.lab;

import android.app.Activity;
import android.content.Intent;
import android.os.Bundle;
import android.widget.EditText;

/** Asks for a name and returns it. */
public final class AnswerActivity extends Activity {
  static final String EXTRA_GUESS = "guess";
  static final String EXTRA_NAME = "name";

  @Override
  protected void onCreate(Bundle savedInstanceState) {
    super.onCreate(savedInstanceState);
    setContentView(R.layout.answer);
    EditText name = findViewById(R.id.name);
    if (savedInstanceState == null) {
      name.setText(getIntent().getStringExtra(EXTRA_GUESS));
    }
    findViewById(R.id.ok)
        .setOnClickListener(
            view -> {
              setResult(RESULT_OK, new Intent().putExtra(EXTRA_NAME, name.getText().toString()));
              finish();
            });
    findViewById(R.id.cancel).setOnClickListener(view -> finish());
  }
}
