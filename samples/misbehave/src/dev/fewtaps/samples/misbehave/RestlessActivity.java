package dev.fewtaps.samples.misbehave;

import android.app.Activity;
import android.content.Intent;
import android.os.Bundle;

/** Starts itself over and over. */
public final class RestlessActivity extends Activity {
  @Override
  protected void onCreate(Bundle savedInstanceState) {
    super.onCreate(savedInstanceState);
    startActivity(new Intent(this, RestlessActivity.class));
  }
}
