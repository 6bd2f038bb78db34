package dev.fewtaps.samples.tipsplit;

/** A bill in cents, with its tip, to be shared by some people. */
final class Bill {
  private final long cents;
  private final int tipPercent;

  Bill(long cents, int tipPercent) {
    this.cents = cents;
    this.tipPercent = tipPercent;
  }

  long total() {
    return cents + cents * tipPercent / 100;
  }

  /** What each of {@code people} pays; nobody ever pays less than their part. */
  long share(int people, boolean wholeCoins) {
    long share = (total() + people - 1) / people;
    return wholeCoins ? (share + 99) / 100 * 100 : share;
  }

  static String format(long cents) {
    return String.format("%d.%02d", cents / 100, cents % 100);
  }
}
