package dev.fewtaps.samples.museum;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A room of the tour. */
enum Room {
  HALL(R.string.hall, R.array.in_hall, false),
  EGYPT(R.string.egypt, R.array.in_egypt, false),
  MUMMIES(R.string.mummies, R.array.in_mummies, false),
  GREECE(R.string.greece, R.array.in_greece, true),
  ROME(R.string.rome, R.array.in_rome, true),
  MINERALS(R.string.minerals, R.array.in_minerals, false),
  FOSSILS(R.string.fossils, R.array.in_fossils, true),
  METEORITES(R.string.meteorites, R.array.in_meteorites, true),
  PAINTINGS(R.string.paintings, R.array.in_paintings, true);

  final int title;
  final int exhibits;
  /** Only there are audio numbers. */
  final boolean upstairs;

  Room(int title, int exhibits, boolean upstairs) {
    this.title = title;
    this.exhibits = exhibits;
    this.upstairs = upstairs;
  }

  /** The rooms behind the doors that are open from here. */
  List<Room> doors() {
    switch (this) {
      case HALL:
        return Arrays.asList(EGYPT, MINERALS);
      case EGYPT:
        return Arrays.asList(MUMMIES, GREECE);
      case MUMMIES:
        return Arrays.asList(GREECE);
      case GREECE:
        return Arrays.asList(ROME, PAINTINGS);
      case MINERALS:
        return Arrays.asList(FOSSILS, METEORITES);
      case ROME:
      case FOSSILS:
      case METEORITES:
        return Arrays.asList(PAINTINGS);
      default:
        return new ArrayList<>();
    }
  }

  /** The audio number of an exhibit, counted from zero. */
  int audioNumber(int exhibit) {
    return (ordinal() + 1) * 10 + exhibit + 1;
  }
}
