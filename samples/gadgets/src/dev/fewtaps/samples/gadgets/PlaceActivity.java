package dev.fewtaps.samples.gadgets;

import android.content.Context;
import android.location.Geocoder;
import android.location.Location;
import android.location.LocationListener;
import android.location.LocationManager;
import android.os.AsyncTask;
import android.os.Bundle;
import java.io.IOException;
import java.util.Locale;

/** Follows the phone for two legs of its way. */
public final class PlaceActivity extends Gadget implements LocationListener {
  private final float[] legs = new float[2];
  private LocationManager places;
  private Location last;
  private int fixes;

  @Override
  void fill() {
    places = (LocationManager) getSystemService(Context.LOCATION_SERVICE);
    button("Where am I?", this::where);
    button("Follow", this::follow);
    button("Address", () -> new Ask(new Geocoder(this, Locale.US)).execute());
  }

  private void where() {
    say("providers " + places.getProviders(true).size());
    Location known = places.getLastKnownLocation(LocationManager.NETWORK_PROVIDER);
    say(known == null ? "unknown" : String.format(Locale.US, "at %.3f %.3f", known.getLatitude(), known.getLongitude()));
  }

  private void follow() {
    places.requestLocationUpdates(LocationManager.GPS_PROVIDER, 0, 0, this);
  }

  @Override
  public void onLocationChanged(Location place) {
    if (last != null) {
      legs[fixes] = place.distanceTo(last); // There are more legs than two.
      fixes++;
      say(String.format(Locale.US, "leg of %.1f m", legs[fixes - 1]));
    }
    last = place;
  }

  @Override
  public void onStatusChanged(String provider, int status, Bundle extras) {}

  @Override
  public void onProviderEnabled(String provider) {}

  @Override
  public void onProviderDisabled(String provider) {}

  @Override
  protected void onPause() {
    super.onPause();
    places.removeUpdates(this);
  }

  /** Asks for an address in the background. */
  private final class Ask extends AsyncTask<Void, Void, String> {
    private final Geocoder geocoder;

    Ask(Geocoder geocoder) {
      this.geocoder = geocoder;
    }

    @Override
    protected String doInBackground(Void... nothing) {
      try {
        return geocoder.getFromLocation(52.5, 13.4, 1).get(0).getAddressLine(0);
      } catch (IOException e) {
        return "no address";
      }
    }

    @Override
    protected void onPostExecute(String address) {
      say(address);
    }
  }
}
