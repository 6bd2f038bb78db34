package dev.fewtaps.samples.feed;

/** One article of the feed. */
final class Article {
  final int id;
  final String title;
  int comments = -1;

  Article(int id, String title) {
    this.id = id;
    this.title = title;
  }
}
