package dev.fewtaps.samples.luggage;

import android.os.Bundle;

/** The first page; it fills the static fields that other pages read. */
public final class MainActivity extends Page {
  @Override
  protected void onCreate(Bundle saved) {
    super.onCreate(saved);
    button(R.id.counter, R.string.counter, view -> open(CounterActivity.class));
    button(
        R.id.traveller,
        R.string.traveller,
        view -> {
          Trip.traveller = "Ada";
          open(TravellerActivity.class);
        });
    button(R.id.items, R.string.items, view -> open(ItemsActivity.class));
    button(
        R.id.weigh,
        R.string.weigh,
        view -> {
          Trip.weights = new int[] {3, 4};
          new WeightDialog().show(getFragmentManager(), "weight");
        });
    button(R.id.draft, R.string.draft, view -> open(DraftActivity.class));
    button(R.id.label, R.string.label, view -> open(LabelActivity.class));
  }
}
