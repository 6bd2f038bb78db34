package dev.fewtaps.samples.misbehave;

/** Declares a native method that no library brings. */
final class MissingLibrary {
  private MissingLibrary() {}

  static native int answer();
}
