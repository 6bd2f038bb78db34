package dev.fewtaps.samples.vault;

/** What is known of the release under way. */
final class Release {
  static final int BOX = 342;

  int badge;
  int partner;
  String initials = "";
}
