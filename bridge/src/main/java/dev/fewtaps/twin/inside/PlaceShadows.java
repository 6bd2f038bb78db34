package dev.fewtaps.twin.inside;

import android.app.PendingIntent;
import android.location.Address;
import android.location.Criteria;
import android.location.Geocoder;
import android.location.Location;
import android.location.LocationListener;
import android.location.LocationManager;
import android.location.LocationRequest;
import android.os.CancellationSignal;
import android.os.Handler;
import android.os.Looper;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.annotation.ClassName;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.shadows.ShadowLocationManager;
import org.robolectric.util.ReflectionHelpers;
import org.robolectric.util.ReflectionHelpers.ClassParameter;

/** Where the phone is: fixes that move with its owner, and the names of places. */
public final class PlaceShadows {
  private static final int R = 30;
  private static final int S = 31;
  private static final int T = 33;

  private PlaceShadows() {}

  static Class<?>[] all() {
    return new Class<?>[] {OfGeocoder.class, OfLocationManager.class};
  }

  /** Gives fixes once a second to listeners, as long as there are some. */
  @Implements(value = LocationManager.class, isInAndroidSdk = false)
  public static class OfLocationManager extends ShadowLocationManager {
    private static final long FIRST_FIX_MILLIS = 300;
    private static final long PAUSE_MILLIS = 1000;

    private final Set<String> followed = new HashSet<>();

    /** Refuses an app without permission, before it is asked for what it wants. */
    private static void require(String provider) {
      if (provider == null) {
        throw new IllegalArgumentException("invalid provider: null");
      }
      Walk.require(RuntimeEnvironment.getApplication(), provider);
    }

    private void follow(String provider) {
      synchronized (followed) {
        if (provider.equals(LocationManager.PASSIVE_PROVIDER) || !followed.add(provider)) {
          return;
        }
      }
      new Handler(Looper.getMainLooper()).postDelayed(() -> step(provider), FIRST_FIX_MILLIS);
    }

    private void step(String provider) {
      boolean isWanted =
          !getLocationUpdateListeners(provider).isEmpty()
              || !getLocationUpdatePendingIntents(provider).isEmpty();
      if (!isWanted) {
        synchronized (followed) {
          followed.remove(provider);
        }
        return;
      }
      Location place = isProviderEnabled(provider) ? Device.current().walk().now(provider) : null;
      if (place != null) {
        simulateLocation(provider, place);
      }
      new Handler(Looper.getMainLooper()).postDelayed(() -> step(provider), PAUSE_MILLIS);
    }

    private String best(Criteria criteria) {
      String best = getBestProvider(criteria, true);
      if (best == null) {
        throw new IllegalArgumentException("no providers found for criteria");
      }
      return best;
    }

    /** A phone has both of its providers on, or both off. */
    @Override
    @Implementation
    protected boolean isProviderEnabled(String provider) {
      return super.isProviderEnabled(
          LocationManager.NETWORK_PROVIDER.equals(provider)
              ? LocationManager.GPS_PROVIDER
              : provider);
    }

    @Override
    @Implementation
    protected Location getLastKnownLocation(String provider) {
      require(provider);
      Location known = super.getLastKnownLocation(provider);
      return known == null && isProviderEnabled(provider)
          ? Device.current().walk().before(provider)
          : known;
    }

    @Override
    @Implementation(minSdk = R)
    protected void getCurrentLocation(
        String provider, CancellationSignal signal, Executor executor, Consumer<Location> to) {
      require(provider);
      super.getCurrentLocation(provider, signal, executor, to);
      follow(provider);
    }

    @Override
    @Implementation(minSdk = S)
    protected void getCurrentLocation(
        String provider,
        LocationRequest request,
        CancellationSignal signal,
        Executor executor,
        Consumer<Location> to) {
      require(provider);
      super.getCurrentLocation(provider, request, signal, executor, to);
      follow(provider);
    }

    @Override
    @Implementation
    protected void requestSingleUpdate(String provider, LocationListener to, Looper looper) {
      require(provider);
      super.requestSingleUpdate(provider, to, looper);
      follow(provider);
    }

    @Override
    @Implementation
    protected void requestSingleUpdate(Criteria criteria, LocationListener to, Looper looper) {
      require(best(criteria));
      super.requestSingleUpdate(criteria, to, looper);
      follow(best(criteria));
    }

    @Override
    @Implementation
    protected void requestSingleUpdate(String provider, PendingIntent to) {
      require(provider);
      super.requestSingleUpdate(provider, to);
      follow(provider);
    }

    @Override
    @Implementation
    protected void requestSingleUpdate(Criteria criteria, PendingIntent to) {
      require(best(criteria));
      super.requestSingleUpdate(criteria, to);
      follow(best(criteria));
    }

    @Override
    @Implementation
    protected void requestLocationUpdates(
        String provider, long pause, float distance, LocationListener to) {
      require(provider);
      super.requestLocationUpdates(provider, pause, distance, to);
      follow(provider);
    }

    @Override
    @Implementation
    protected void requestLocationUpdates(
        String provider, long pause, float distance, LocationListener to, Looper looper) {
      require(provider);
      super.requestLocationUpdates(provider, pause, distance, to, looper);
      follow(provider);
    }

    @Override
    @Implementation(minSdk = R)
    protected void requestLocationUpdates(
        String provider, long pause, float distance, Executor executor, LocationListener to) {
      require(provider);
      super.requestLocationUpdates(provider, pause, distance, executor, to);
      follow(provider);
    }

    @Override
    @Implementation
    protected void requestLocationUpdates(
        long pause, float distance, Criteria criteria, LocationListener to, Looper looper) {
      require(best(criteria));
      super.requestLocationUpdates(pause, distance, criteria, to, looper);
      follow(best(criteria));
    }

    @Override
    @Implementation(minSdk = R)
    protected void requestLocationUpdates(
        long pause, float distance, Criteria criteria, Executor executor, LocationListener to) {
      require(best(criteria));
      super.requestLocationUpdates(pause, distance, criteria, executor, to);
      follow(best(criteria));
    }

    @Override
    @Implementation
    protected void requestLocationUpdates(
        String provider, long pause, float distance, PendingIntent to) {
      require(provider);
      super.requestLocationUpdates(provider, pause, distance, to);
      follow(provider);
    }

    @Override
    @Implementation
    protected void requestLocationUpdates(
        long pause, float distance, Criteria criteria, PendingIntent to) {
      require(best(criteria));
      super.requestLocationUpdates(pause, distance, criteria, to);
      follow(best(criteria));
    }

    @Override
    @Implementation(minSdk = S)
    protected void requestLocationUpdates(
        String provider, LocationRequest request, Executor executor, LocationListener to) {
      require(provider);
      super.requestLocationUpdates(provider, request, executor, to);
      follow(provider);
    }

    @Override
    @Implementation(minSdk = S)
    protected void requestLocationUpdates(
        String provider, LocationRequest request, PendingIntent to) {
      require(provider);
      super.requestLocationUpdates(provider, request, to);
      follow(provider);
    }
  }

  /** Knows one address for each place, from a server: none while there is no network. */
  @Implements(value = Geocoder.class, isInAndroidSdk = false)
  public static class OfGeocoder {
    private static final String LISTENER = "android.location.Geocoder$GeocodeListener";
    private static final double LATITUDE = 52.52;
    private static final double LONGITUDE = 13.405;

    @Implementation
    protected static boolean isPresent() {
      return true;
    }

    @Implementation
    protected List<Address> getFromLocation(double latitude, double longitude, int most)
        throws IOException {
      if (Math.abs(latitude) > 90 || Double.isNaN(latitude)) {
        throw new IllegalArgumentException("latitude == " + latitude);
      }
      if (Math.abs(longitude) > 180 || Double.isNaN(longitude)) {
        throw new IllegalArgumentException("longitude == " + longitude);
      }
      return found(latitude, longitude, most);
    }

    @Implementation
    protected List<Address> getFromLocationName(String name, int most) throws IOException {
      if (name == null) {
        throw new IllegalArgumentException("locationName == null");
      }
      return name.trim().isEmpty() ? new ArrayList<>() : found(LATITUDE, LONGITUDE, most);
    }

    @Implementation(minSdk = T)
    protected void getFromLocation(
        double latitude, double longitude, int most, @ClassName(LISTENER) Object to) {
      answer(() -> getFromLocation(latitude, longitude, most), to);
    }

    @Implementation(minSdk = T)
    protected void getFromLocationName(String name, int most, @ClassName(LISTENER) Object to) {
      answer(() -> getFromLocationName(name, most), to);
    }

    private interface Question {
      List<Address> ask() throws IOException;
    }

    private static void answer(Question question, Object to) {
      new Handler(Looper.getMainLooper())
          .post(
              () -> {
                try {
                  ReflectionHelpers.callInstanceMethod(
                      to, "onGeocode", ClassParameter.from(List.class, question.ask()));
                } catch (IOException e) {
                  ReflectionHelpers.callInstanceMethod(
                      to, "onError", ClassParameter.from(String.class, e.getMessage()));
                }
              });
    }

    private static List<Address> found(double latitude, double longitude, int most)
        throws IOException {
      if (Device.current().settings().network.equals("offline")) {
        throw new IOException("grpc failed");
      }
      Address address = new Address(Locale.US);
      address.setLatitude(latitude);
      address.setLongitude(longitude);
      address.setFeatureName("12");
      address.setSubThoroughfare("12");
      address.setThoroughfare("Example Street");
      address.setLocality("Example City");
      address.setAdminArea("Example State");
      address.setPostalCode("10178");
      address.setCountryCode("DE");
      address.setCountryName("Germany");
      address.setAddressLine(0, "Example Street 12, 10178 Example City, Germany");
      List<Address> all = new ArrayList<>();
      if (most > 0) {
        all.add(address);
      }
      return all;
    }
  }
}
