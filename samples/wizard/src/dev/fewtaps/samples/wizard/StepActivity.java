package dev.fewtaps.samples.wizard;

import android.app.Activity;
import android.content.Intent;
import android.os.Bundle;
import android.view.View;
import android.view.ViewGroup;
import android.widget.TextView;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** One page of the wizard: it lets nobody through without the right answer. */
abstract class StepActivity extends Activity {
  static final String EXTRA_ORDER = "order";
  private static final List<Class<? extends StepActivity>> STEPS =
      Collections.unmodifiableList(
          Arrays.asList(
              TermsActivity.class,
              NameActivity.class,
              CountryActivity.class,
              PostcodeActivity.class,
              SizeActivity.class,
              WeightActivity.class,
              InsuranceActivity.class,
              DayActivity.class,
              FragileActivity.class,
              PinActivity.class,
              PaymentActivity.class,
              ReviewActivity.class));

  private final int question;
  private final int layout;
  private final int error;

  StepActivity(int question, int layout, int error) {
    this.question = question;
    this.layout = layout;
    this.error = error;
  }

  /** Writes the answer into the order and returns true, or returns false if it is not a right one. */
  abstract boolean answer(Bundle order);

  /** Prepares the views of this step. */
  void prepare() {}

  @Override
  protected void onCreate(Bundle savedInstanceState) {
    super.onCreate(savedInstanceState);
    setContentView(R.layout.step);
    setTitle(getString(R.string.step, number() + 1, STEPS.size()));
    this.<TextView>findViewById(R.id.question).setText(question);
    ViewGroup place = findViewById(R.id.answer);
    getLayoutInflater().inflate(layout, place, true);
    prepare();
    findViewById(R.id.next).setOnClickListener(this::next);
  }

  private int number() {
    return STEPS.indexOf(getClass());
  }

  private void next(View button) {
    Bundle order = new Bundle();
    if (getIntent().hasExtra(EXTRA_ORDER)) {
      order.putAll(getIntent().getBundleExtra(EXTRA_ORDER));
    }
    if (!answer(order)) {
      complain(getString(error));
      return;
    }
    complain("");
    boolean last = number() == STEPS.size() - 1;
    Class<? extends Activity> target = last ? SendActivity.class : STEPS.get(number() + 1);
    startActivity(new Intent(this, target).putExtra(EXTRA_ORDER, order));
  }

  final void complain(String text) {
    this.<TextView>findViewById(R.id.error).setText(text);
  }
}
