package dev.fewtaps.samples.zones;

import android.content.res.Resources;
import java.util.ArrayList;
import java.util.List;

/** A time zone and, if it has one, the place that it is named after. */
final class Place {
  final String zone;
  final String latitude;
  final String longitude;

  private Place(String zone, String latitude, String longitude) {
    this.zone = zone;
    this.latitude = latitude;
    this.longitude = longitude;
  }

  boolean isOnEarth() {
    return latitude != null;
  }

  /** The city's name as people write it. */
  String city() {
    return zone.substring(zone.indexOf('/') + 1).replace('_', ' ');
  }

  static Place parse(String line) {
    String[] parts = line.split("\\|");
    return parts.length < 3 ? new Place(parts[0], null, null) : new Place(parts[0], parts[1], parts[2]);
  }

  static List<Place> all(Resources resources) {
    List<Place> places = new ArrayList<>();
    for (String line : resources.getStringArray(R.array.places)) {
      places.add(parse(line));
    }
    return places;
  }

  static Place named(Resources resources, String zone) {
    for (Place place : all(resources)) {
      if (place.zone.equals(zone)) {
        return place;
      }
    }
    throw new IllegalArgumentException("no such zone: " + zone);
  }

  @Override
  public String toString() {
    return zone;
  }
}
