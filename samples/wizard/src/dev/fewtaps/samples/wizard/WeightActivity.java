package dev.fewtaps.samples.wizard;

import android.os.Bundle;
import android.widget.TextView;

/** Step 6: a weight within bounds, reached kilogram by kilogram. */
public final class WeightActivity extends StepActivity {
  private static final int LEAST = 3;
  private static final int MOST = 10;

  private int weight = 1;

  public WeightActivity() {
    super(R.string.weight, R.layout.weight, R.string.weight_error);
  }

  @Override
  protected void onCreate(Bundle savedInstanceState) {
    if (savedInstanceState != null) {
      weight = savedInstanceState.getInt("weight");
    }
    super.onCreate(savedInstanceState);
  }

  @Override
  protected void onSaveInstanceState(Bundle outState) {
    super.onSaveInstanceState(outState);
    outState.putInt("weight", weight);
  }

  @Override
  void prepare() {
    findViewById(R.id.lighter).setOnClickListener(view -> change(-1));
    findViewById(R.id.heavier).setOnClickListener(view -> change(1));
    change(0);
  }

  private void change(int kilograms) {
    weight = Math.max(0, weight + kilograms);
    this.<TextView>findViewById(R.id.weight).setText(getString(R.string.weight_value, weight));
  }

  @Override
  boolean answer(Bundle order) {
    order.putInt("weight", weight);
    return weight >= LEAST && weight <= MOST;
  }
}
