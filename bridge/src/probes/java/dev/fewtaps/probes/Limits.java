package dev.fewtaps.probes;

/** What the instrumenter writes for each app: this class only stands in for it. */
final class Limits {
  /** How many probes the app has. */
  static int count = Integer.getInteger("");

  /** The app's package. */
  static String app = System.getProperty("");

  private Limits() {}
}
