package dev.fewtaps.samples.museum;

import android.os.Bundle;

/** One thing to look at. */
public final class ExhibitActivity extends KioskActivity {
  static final String EXTRA_NAME = "name";
  static final String EXTRA_NUMBER = "number";
  private static final int[] FACTS = {R.string.fact_1, R.string.fact_2, R.string.fact_3};

  private int fact;

  @Override
  protected void onCreate(Bundle savedInstanceState) {
    super.onCreate(savedInstanceState);
    setContentView(R.layout.exhibit);
    int number = getIntent().getIntExtra(EXTRA_NUMBER, 0);
    say(R.id.name, getIntent().getStringExtra(EXTRA_NAME));
    say(R.id.number, getString(R.string.exhibit_number, number));
    fact = number % FACTS.length;
    say(R.id.fact, getString(FACTS[fact]));
    onTap(R.id.more, this::showNext);
    onTap(R.id.close, this::finish);
  }

  private void showNext() {
    fact = (fact + 1) % FACTS.length;
    say(R.id.fact, getString(FACTS[fact]));
  }
}
