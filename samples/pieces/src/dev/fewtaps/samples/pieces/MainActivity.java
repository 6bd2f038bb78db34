package dev.fewtaps.samples.pieces;

import android.app.Activity;
import android.os.Bundle;
import android.widget.LinearLayout;
import android.widget.TextView;

/** Shows from which piece of the app its resources came. */
public final class MainActivity extends Activity {
  @Override
  protected void onCreate(Bundle savedInstanceState) {
    super.onCreate(savedInstanceState);
    LinearLayout list = new LinearLayout(this);
    list.setOrientation(LinearLayout.VERTICAL);
    for (int id : new int[] {R.string.density, R.string.language}) {
      TextView line = new TextView(this);
      line.setText(id);
      list.addView(line);
    }
    String[] splits = getApplicationInfo().splitSourceDirs;
    TextView count = new TextView(this);
    count.setText("splits " + (splits == null ? 0 : splits.length));
    list.addView(count);
    setContentView(list);
  }
}
