package dev.fewtaps.twin.inside;

import android.hardware.Sensor;
import android.hardware.SensorEvent;
import android.hardware.SensorEventListener;
import android.hardware.SensorManager;
import android.os.Handler;
import android.os.Looper;
import android.os.SystemClock;
import java.util.ArrayList;
import java.util.List;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.shadow.api.Shadow;
import org.robolectric.shadows.SensorEventBuilder;
import org.robolectric.shadows.ShadowSensorManager;
import org.robolectric.util.ReflectionHelpers;

/**
 * The sensors of a phone that lies on a table, is tilted, shaken and walked with, and lies again.
 *
 * <p>What they say follows from the time since a listener came: a second at rest, one tilted, one
 * shaken, two of walking. After that nothing changes, and nothing is said.
 */
public final class SensorShadows {
  private static final double TILT_MILLIS = 1000;
  private static final double SHAKE_MILLIS = 2000;
  private static final double WALK_MILLIS = 3000;
  private static final double END_MILLIS = 5000;

  private static List<Sensor> sensors = new ArrayList<>();

  private SensorShadows() {}

  static Class<?>[] all() {
    return new Class<?>[] {OfSensorManager.class};
  }

  /** Forgets the sensors of another process. */
  static synchronized void forget() {
    sensors = new ArrayList<>();
  }

  private static synchronized List<Sensor> sensors() {
    if (sensors.isEmpty()) {
      for (Reading reading : Reading.values()) {
        sensors.add(reading.sensor());
      }
    }
    return new ArrayList<>(sensors);
  }

  /** The values at rest. */
  private enum Reading {
    ACCELEROMETER(Sensor.TYPE_ACCELEROMETER, "Accelerometer", 39.3f, 0, 0, 9.81f),
    MAGNETIC_FIELD(Sensor.TYPE_MAGNETIC_FIELD, "Magnetic field", 2000, 0, 22, -43),
    ORIENTATION(3, "Orientation", 360, 0, 0, 0),
    GYROSCOPE(Sensor.TYPE_GYROSCOPE, "Gyroscope", 34.9f, 0, 0, 0),
    LIGHT(Sensor.TYPE_LIGHT, "Light", 40000, 100),
    PRESSURE(Sensor.TYPE_PRESSURE, "Pressure", 1100, 1013.25f),
    PROXIMITY(Sensor.TYPE_PROXIMITY, "Proximity", 5, 5),
    GRAVITY(Sensor.TYPE_GRAVITY, "Gravity", 39.3f, 0, 0, 9.81f),
    LINEAR_ACCELERATION(Sensor.TYPE_LINEAR_ACCELERATION, "Linear acceleration", 39.3f, 0, 0, 0),
    ROTATION_VECTOR(Sensor.TYPE_ROTATION_VECTOR, "Rotation vector", 1, 0, 0, 0, 1, 0),
    GAME_ROTATION_VECTOR(Sensor.TYPE_GAME_ROTATION_VECTOR, "Game rotation vector", 1, 0, 0, 0, 1),
    STEP_COUNTER(Sensor.TYPE_STEP_COUNTER, "Step counter", 1e6f, 1200),
    STEP_DETECTOR(Sensor.TYPE_STEP_DETECTOR, "Step detector", 1, 1);

    final int type;
    final String label;
    final float range;
    final float[] values;

    Reading(int type, String label, float range, float... values) {
      this.type = type;
      this.label = label;
      this.range = range;
      this.values = values;
    }

    Sensor sensor() {
      Sensor sensor = Shadow.newInstanceOf(Sensor.class);
      ReflectionHelpers.callInstanceMethod(
          sensor, "setType", ReflectionHelpers.ClassParameter.from(int.class, type));
      ReflectionHelpers.setField(sensor, "mName", label);
      ReflectionHelpers.setField(sensor, "mVendor", "The Android Open Source Project");
      ReflectionHelpers.setField(sensor, "mVersion", 1);
      ReflectionHelpers.setField(sensor, "mHandle", ordinal() + 1);
      ReflectionHelpers.setField(sensor, "mMaxRange", range);
      ReflectionHelpers.setField(sensor, "mResolution", range / 4096);
      ReflectionHelpers.setField(sensor, "mPower", 0.1f);
      ReflectionHelpers.setField(sensor, "mMinDelay", 10_000);
      return sensor;
    }

    /** Whether it says nothing until something happens. */
    boolean isStep() {
      return this == STEP_COUNTER || this == STEP_DETECTOR;
    }

    /** What it says so many milliseconds after a listener came. */
    float[] at(double millis) {
      float[] now = values.clone();
      double angle = angle(millis);
      float shaken = shaken(millis);
      float sine = (float) StrictMath.sin(angle);
      float cosine = (float) StrictMath.cos(angle);
      switch (this) {
        case ACCELEROMETER -> set(now, shaken, 9.81f * sine, 9.81f * cosine);
        case GRAVITY -> set(now, 0, 9.81f * sine, 9.81f * cosine);
        case LINEAR_ACCELERATION -> set(now, shaken, 0, 0);
        case MAGNETIC_FIELD -> set(now, 0, 22 * cosine - 43 * sine, -43 * cosine - 22 * sine);
        case ORIENTATION -> set(now, 0, (float) -Math.toDegrees(angle), 0);
        case GYROSCOPE -> set(now, (float) (angle(millis + 50) - angle(millis - 50)) * 10, 0, 0);
        case ROTATION_VECTOR, GAME_ROTATION_VECTOR -> {
          now[0] = (float) StrictMath.sin(angle / 2);
          now[3] = (float) StrictMath.cos(angle / 2);
        }
        case LIGHT -> now[0] += (float) (50 * angle);
        case STEP_COUNTER -> now[0] += (float) Math.floor(steps(millis));
        default -> {}
      }
      return now;
    }

    private static void set(float[] values, float x, float y, float z) {
      values[0] = x;
      values[1] = y;
      values[2] = z;
    }

    /** By how much the upper end is lifted: up to half a right angle, for a second. */
    private static double angle(double millis) {
      boolean isTilted = millis > TILT_MILLIS && millis < SHAKE_MILLIS;
      double part = (millis - TILT_MILLIS) / (SHAKE_MILLIS - TILT_MILLIS);
      return isTilted ? StrictMath.sin(part * Math.PI) * Math.PI / 4 : 0;
    }

    /** The acceleration to the side: by hand at first, then by walking. */
    private static float shaken(double millis) {
      if (millis > SHAKE_MILLIS && millis < WALK_MILLIS) {
        return (long) (millis / 100) % 2 == 0 ? 25 : -25;
      }
      boolean isWalked = millis >= WALK_MILLIS && millis < END_MILLIS;
      return isWalked ? (float) (3 * StrictMath.sin(millis / 500 * 2 * Math.PI)) : 0;
    }

    private static double steps(double millis) {
      return Math.max(0, Math.min(millis, END_MILLIS) - WALK_MILLIS) / 500;
    }
  }

  /** Sensors that speak for some seconds after each request. */
  @Implements(value = SensorManager.class, isInAndroidSdk = false)
  public static class OfSensorManager extends ShadowSensorManager {
    private static final long PAUSE_MILLIS = 100;
    private static final long STEP_MILLIS = 500;

    @Override
    @Implementation
    protected Sensor getDefaultSensor(int type) {
      List<Sensor> sensors = getSensorList(type);
      return sensors.isEmpty() ? null : sensors.get(0);
    }

    @Override
    @Implementation
    public List<Sensor> getSensorList(int type) {
      List<Sensor> sensors = sensors();
      sensors.removeIf(sensor -> type != Sensor.TYPE_ALL && sensor.getType() != type);
      return sensors;
    }

    @Override
    @Implementation
    protected boolean registerListener(
        SensorEventListener listener, Sensor sensor, int rate, Handler handler) {
      if (listener == null || sensor == null) {
        return false;
      }
      boolean registered = super.registerListener(listener, sensor, rate);
      for (Reading reading : Reading.values()) {
        if (reading.type == sensor.getType()) {
          Handler target = handler != null ? handler : new Handler(Looper.getMainLooper());
          later(target, listener, sensor, reading, reading.isStep() ? (long) WALK_MILLIS : 0);
        }
      }
      return registered;
    }

    @Override
    @Implementation
    protected boolean registerListener(SensorEventListener listener, Sensor sensor, int rate) {
      return registerListener(listener, sensor, rate, null);
    }

    @Override
    @Implementation
    protected boolean registerListener(
        SensorEventListener listener, Sensor sensor, int rate, int maxLatency) {
      return registerListener(listener, sensor, rate, null);
    }

    @Override
    @Implementation
    protected boolean registerListener(
        SensorEventListener listener, Sensor sensor, int rate, int maxLatency, Handler handler) {
      return registerListener(listener, sensor, rate, handler);
    }

    private void later(
        Handler target, SensorEventListener listener, Sensor sensor, Reading reading, long passed) {
      long pause = reading.isStep() ? STEP_MILLIS : PAUSE_MILLIS;
      long first = passed == WALK_MILLIS && reading.isStep() ? passed : pause;
      if (passed + pause > END_MILLIS) {
        return;
      }
      target.postDelayed(
          () -> {
            if (hasListener(listener, sensor)) {
              deliver(listener, sensor, reading.at(passed + pause));
              later(target, listener, sensor, reading, passed + pause);
            }
          },
          first);
    }

    private static void deliver(SensorEventListener listener, Sensor sensor, float[] values) {
      SensorEvent event =
          SensorEventBuilder.newBuilder(sensor, values)
              .setTimestamp(SystemClock.elapsedRealtimeNanos())
              .build();
      event.accuracy = SensorManager.SENSOR_STATUS_ACCURACY_HIGH;
      listener.onSensorChanged(event);
    }
  }
}
