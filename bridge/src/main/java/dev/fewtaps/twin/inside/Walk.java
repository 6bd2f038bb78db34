package dev.fewtaps.twin.inside;

import android.content.Context;
import android.content.pm.PackageManager;
import android.location.Location;
import android.location.LocationManager;
import android.os.SystemClock;
import dev.fewtaps.twin.WallClock;
import dev.fewtaps.twin.world.World;

/**
 * The way of the phone's owner, on foot: where the phone is at a moment of virtual time.
 *
 * <p>In world 0 it leads through a city. The world decides between that, a place without reception,
 * one where the first fix takes long, and a way across the meridian at which the day changes.
 */
final class Walk {
  private static final int DECISIONS = 8;
  private static final int NO_RECEPTION = 5;
  private static final int LATE = 6;
  private static final int DATE_LINE = 7;

  private static final double METRES_PER_DEGREE = 111_320;
  private static final double SPEED = 1.4;

  /** By how many metres the way leaves the straight line on both sides. */
  private static final double SWAY = 8;

  private static final long LATE_MILLIS = 20_000;
  private static final long SINCE_LAST_KNOWN_MILLIS = 300_000;

  private int way = -1;
  private long begun;

  private synchronized int way() {
    if (way < 0) {
      way = World.current().place(DECISIONS);
      begun = SystemClock.elapsedRealtime();
    }
    return way;
  }

  /** Where the phone is, or null as long as it does not know. */
  Location now(String provider) {
    boolean isUnknown =
        way() == NO_RECEPTION
            || (way() == LATE && SystemClock.elapsedRealtime() - begun < LATE_MILLIS);
    return isUnknown ? null : at(provider, SystemClock.elapsedRealtime(), 0);
  }

  /** Where the phone was when an app asked for its place before this one, or null. */
  Location before(String provider) {
    boolean isUnknown = way() == NO_RECEPTION || way() == LATE;
    return isUnknown ? null : at(provider, begun, SINCE_LAST_KNOWN_MILLIS);
  }

  private Location at(String provider, long elapsed, long age) {
    boolean isExact = provider.equals(LocationManager.GPS_PROVIDER);
    boolean isAcross = way() == DATE_LINE;
    double seconds = (elapsed - begun - age) / 1000.0;
    double ahead = SPEED * seconds;
    double aside = SWAY * StrictMath.sin(seconds / 40);
    double latitude = isAcross ? -16.5 : 52.52;
    double longitude = isAcross ? 179.9998 : 13.405;
    double heading = isAcross ? 90 : 60;
    double sine = StrictMath.sin(Math.toRadians(heading));
    double cosine = StrictMath.cos(Math.toRadians(heading));
    double north = (ahead * cosine - aside * sine) / METRES_PER_DEGREE;
    double east =
        (ahead * sine + aside * cosine)
            / METRES_PER_DEGREE
            / StrictMath.cos(Math.toRadians(latitude));
    double turned = longitude + east;
    Location place = new Location(provider);
    place.setLatitude(latitude + north);
    place.setLongitude(turned >= 180 ? turned - 360 : turned);
    place.setAccuracy(isExact ? 5 : 30);
    place.setTime(WallClock.now() - age);
    place.setElapsedRealtimeNanos(Math.max(1, (elapsed - age) * 1_000_000));
    if (isExact) {
      place.setAltitude(38 + Math.abs(seconds % 60) / 10);
      place.setSpeed((float) SPEED);
      place.setBearing((float) heading);
    }
    return place;
  }

  /** Throws what a phone throws if the app may not know where it is. */
  static void require(Context context, String provider) {
    boolean needsExact = LocationManager.GPS_PROVIDER.equals(provider);
    boolean isFine = has(context, "android.permission.ACCESS_FINE_LOCATION");
    if (isFine || (!needsExact && has(context, "android.permission.ACCESS_COARSE_LOCATION"))) {
      return;
    }
    throw new SecurityException(
        '"'
            + provider
            + "\" location provider requires "
            + (needsExact ? "" : "ACCESS_COARSE_LOCATION or ")
            + "ACCESS_FINE_LOCATION permission.");
  }

  private static boolean has(Context context, String permission) {
    return context.checkSelfPermission(permission) == PackageManager.PERMISSION_GRANTED;
  }
}
