package dev.fewtaps.samples.lab;

import android.app.Activity;
import android.os.Bundle;
import android.util.Log;
import android.view.View;
import android.view.ViewGroup;
import android.widget.Button;
import android.widget.GridLayout;
import android.widget.LinearLayout;
import android.widget.ScrollView;
import android.widget.TextView;

/** A screen with buttons and, below them, one line per outcome: what tests read. */
abstract class LabActivity extends Activity {
  private static final String TAG = "lab";

  private final Journal journal = new Journal();

  @Override
  protected void onCreate(Bundle savedInstanceState) {
    super.onCreate(savedInstanceState);
    setContentView(R.layout.lab);
    fill();
  }

  /** Adds this screen's buttons and views. */
  protected abstract void fill();

  protected final Button button(String label, Runnable action) {
    Button button = new Button(this);
    button.setText(label);
    button.setAllCaps(false);
    button.setOnClickListener(view -> action.run());
    GridLayout.LayoutParams place =
        new GridLayout.LayoutParams(
            GridLayout.spec(GridLayout.UNDEFINED), GridLayout.spec(GridLayout.UNDEFINED, 1f));
    place.width = 0;
    place.height = ViewGroup.LayoutParams.WRAP_CONTENT;
    this.<GridLayout>findViewById(R.id.buttons).addView(button, place);
    return button;
  }

  /** Puts a view of the screen's own above the buttons. */
  protected final <V extends View> V extra(V view) {
    this.<LinearLayout>findViewById(R.id.extra).addView(view);
    return view;
  }

  /** Puts a layout of the screen's own above the buttons. */
  protected final void extra(int layout) {
    getLayoutInflater().inflate(layout, findViewById(R.id.extra), true);
  }

  /** Shows an outcome, and logs it; may be called from any thread. */
  protected final void say(String line) {
    Log.i(TAG, line);
    journal.add(line);
    runOnUiThread(this::showLog);
  }

  protected final void clearLog() {
    journal.clear();
    showLog();
  }

  private void showLog() {
    this.<TextView>findViewById(R.id.log).setText(journal.text());
    ScrollView scroll = findViewById(R.id.scroll);
    if (scroll != null) {
      scroll.requestLayout();
    }
  }
}
