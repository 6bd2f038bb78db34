package dev.fewtaps.samples.luggage;

import android.content.Intent;
import android.os.Bundle;

/** Returns a colour. */
public final class ColourActivity extends Page {
  @Override
  protected void onCreate(Bundle saved) {
    super.onCreate(saved);
    button(
        R.id.red,
        R.string.red,
        view -> {
          setResult(RESULT_OK, new Intent().putExtra("colour", "red"));
          finish();
        });
  }
}
