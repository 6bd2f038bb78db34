package dev.fewtaps.samples.misbehave;

/** Cannot be initialized. */
final class BrokenClass {
  static final Object VALUE = Integer.valueOf("not a number");

  private BrokenClass() {}
}
