package dev.fewtaps.samples.vault;

import android.app.Activity;
import android.os.Bundle;
import android.widget.TextView;

/** A page of text. */
public final class InfoActivity extends Activity {
  static final String EXTRA_TITLE = "title";
  static final String EXTRA_TEXT = "text";

  @Override
  protected void onCreate(Bundle savedInstanceState) {
    super.onCreate(savedInstanceState);
    setContentView(R.layout.info);
    setTitle(getIntent().getIntExtra(EXTRA_TITLE, R.string.app_name));
    this.<TextView>findViewById(R.id.info).setText(getIntent().getIntExtra(EXTRA_TEXT, R.string.hall));
  }
}
