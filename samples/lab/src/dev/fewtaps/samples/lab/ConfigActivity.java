package dev.fewtaps.samples.lab;

import android.content.res.Configuration;

/** Handles the rotation itself and is not created again. */
public final class ConfigActivity extends LabActivity {
  private static int creations;

  @Override
  protected void fill() {
    creations++;
    say("creation " + creations + " " + getString(R.string.orientation));
    button("Size", this::size);
  }

  private void size() {
    Configuration now = getResources().getConfiguration();
    say("size " + now.screenWidthDp + "x" + now.screenHeightDp);
  }

  @Override
  public void onConfigurationChanged(Configuration newConfig) {
    super.onConfigurationChanged(newConfig);
    boolean wide = newConfig.orientation == Configuration.ORIENTATION_LANDSCAPE;
    say("changed to " + (wide ? "landscape" : "portrait") + ", creation " + creations);
  }
}
