package dev.fewtaps.samples.gadgets;

import android.app.Activity;
import android.os.Bundle;
import android.util.Log;
import android.widget.Button;
import android.widget.LinearLayout;
import android.widget.TextView;

/** A page with buttons, and a line that says what came of them. */
abstract class Gadget extends Activity {
  private LinearLayout page;
  private TextView status;

  @Override
  protected void onCreate(Bundle saved) {
    super.onCreate(saved);
    page = new LinearLayout(this);
    page.setOrientation(LinearLayout.VERTICAL);
    status = new TextView(this);
    fill();
    page.addView(status);
    setContentView(page);
  }

  /** Adds what the page has. */
  abstract void fill();

  LinearLayout page() {
    return page;
  }

  void button(String label, Runnable action) {
    Button button = new Button(this);
    button.setText(label);
    button.setOnClickListener(view -> action.run());
    page.addView(button);
  }

  void say(String text) {
    Log.i("lab", text);
    status.setText(text);
  }
}
