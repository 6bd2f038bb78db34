package dev.fewtaps.samples.luggage;

import android.content.SharedPreferences;
import android.os.Bundle;
import android.widget.TextView;

/** Has no defect: saves its state, and shows what a static field and a file still have. */
public final class CounterActivity extends Page {
  private int count;
  private TextView text;

  @Override
  protected void onCreate(Bundle saved) {
    super.onCreate(saved);
    SharedPreferences file = getSharedPreferences("luggage", MODE_PRIVATE);
    count = saved == null ? 0 : saved.getInt("count");
    field();
    text = text("");
    button(
        R.id.more,
        R.string.more,
        view -> {
          count++;
          Trip.taps++;
          file.edit().putInt("taps", file.getInt("taps", 0) + 1).apply();
          tell(file);
        });
    tell(file);
  }

  private void tell(SharedPreferences file) {
    text.setText("saved " + count + ", static " + Trip.taps + ", file " + file.getInt("taps", 0));
  }

  @Override
  protected void onSaveInstanceState(Bundle out) {
    super.onSaveInstanceState(out);
    out.putInt("count", count);
  }
}
