package dev.fewtaps.samples.luggage;

/** What the app keeps in static fields: it is gone with the process. */
final class Trip {
  static String traveller;
  static int[] weights;
  static int taps;

  private Trip() {}
}
