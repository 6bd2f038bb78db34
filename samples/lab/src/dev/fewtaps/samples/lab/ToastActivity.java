package dev.fewtaps.samples.lab;

import android.view.Gravity;
import android.widget.TextView;
import android.widget.Toast;

/** Shows toasts of several kinds. */
public final class ToastActivity extends LabActivity {
  @Override
  protected void fill() {
    button("Short toast", () -> Toast.makeText(this, "short toast", Toast.LENGTH_SHORT).show());
    button("Long toast", () -> Toast.makeText(this, "long toast", Toast.LENGTH_LONG).show());
    button("Own toast", this::own);
  }

  private void own() {
    TextView text = new TextView(this);
    text.setText("own toast");
    Toast toast = new Toast(this);
    toast.setView(text);
    toast.setGravity(Gravity.TOP, 0, 100);
    toast.show();
  }
}
