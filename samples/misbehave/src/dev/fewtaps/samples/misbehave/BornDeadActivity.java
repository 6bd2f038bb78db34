package dev.fewtaps.samples.misbehave;

import android.app.Activity;
import android.os.Bundle;

/** Dies while it is created. */
public final class BornDeadActivity extends Activity {
  @Override
  protected void onCreate(Bundle savedInstanceState) {
    super.onCreate(savedInstanceState);
    String name = getIntent().getStringExtra("name");
    setTitle(name.trim());
  }
}
