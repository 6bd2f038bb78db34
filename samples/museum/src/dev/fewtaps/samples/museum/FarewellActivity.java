package dev.fewtaps.samples.museum;

import android.os.Bundle;
import android.widget.Button;

/** The end of a visit: there is nothing more to do, now or after another start of the app. */
public final class FarewellActivity extends KioskActivity {
  @Override
  protected void onCreate(Bundle savedInstanceState) {
    super.onCreate(savedInstanceState);
    setContentView(R.layout.farewell);
    onTap(R.id.thanks, () -> this.<Button>findViewById(R.id.thanks).setText(R.string.thanked));
  }
}
