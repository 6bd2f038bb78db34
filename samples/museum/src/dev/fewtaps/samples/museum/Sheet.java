package dev.fewtaps.samples.museum;

/** A sheet of paper in the archive, known by the way to it. */
final class Sheet {
  private static final int FIRST_YEAR = 1612;

  final int collection;
  private final int drawer;
  private final boolean signed;
  private final int number;

  Sheet(int collection, int drawer, boolean signed, int number) {
    this.collection = collection;
    this.drawer = drawer;
    this.signed = signed;
    this.number = number;
  }

  /** What is written on it: a year, or for what nobody signed, somebody's guess. */
  String date() {
    int year = FIRST_YEAR + 40 * drawer + 7 * number;
    return collection == R.string.maps && !signed ? "c. " + year : String.valueOf(year);
  }

  /** Who makes copies of it; null for what is kept in another house. */
  String copyist() {
    switch (collection) {
      case R.string.letters:
        return "the desk";
      case R.string.maps:
        return drawer == 1 ? "the plotter" : "the photographer";
      default:
        return drawer == 3 ? null : "the photographer";
    }
  }
}
