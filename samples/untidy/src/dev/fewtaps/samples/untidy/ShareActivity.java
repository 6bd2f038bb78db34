package dev.fewtaps.samples.untidy;

import android.app.Activity;
import android.content.Intent;
import android.os.Bundle;
import android.widget.TextView;

/** Shows what another app shares, and forgets that it may share nothing. */
public final class ShareActivity extends Activity {
  @Override
  protected void onCreate(Bundle savedInstanceState) {
    super.onCreate(savedInstanceState);
    TextView text = new TextView(this);
    String shared = getIntent().getStringExtra(Intent.EXTRA_TEXT);
    text.setText("shared " + shared.trim());
    setContentView(text);
  }
}
