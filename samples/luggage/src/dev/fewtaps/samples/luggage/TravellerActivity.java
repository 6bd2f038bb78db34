package dev.fewtaps.samples.luggage;

import android.os.Bundle;

/** Relies on a static field that another activity has set. */
public final class TravellerActivity extends Page {
  @Override
  protected void onCreate(Bundle saved) {
    super.onCreate(saved);
    text("Name of " + Trip.traveller.length() + " letters");
  }
}
