package dev.fewtaps.samples.vault;

import android.app.Activity;
import android.os.Bundle;
import android.widget.TextView;

/** Says what went wrong; from here one can only begin again. */
public final class AlarmActivity extends Activity {
  static final String EXTRA_REASON = "reason";

  @Override
  protected void onCreate(Bundle savedInstanceState) {
    super.onCreate(savedInstanceState);
    setContentView(R.layout.alarm);
    setTitle(R.string.alarm);
    this.<TextView>findViewById(R.id.reason).setText(getIntent().getStringExtra(EXTRA_REASON));
    findViewById(R.id.again).setOnClickListener(view -> finish());
  }
}
