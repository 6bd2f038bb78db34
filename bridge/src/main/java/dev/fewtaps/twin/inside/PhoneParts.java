package dev.fewtaps.twin.inside;

import android.app.ActivityManager;
import android.app.Application;
import android.content.pm.ConfigurationInfo;
import android.content.pm.FeatureInfo;
import android.content.pm.PackageManager;
import android.content.res.Configuration;
import android.graphics.Rect;
import android.hardware.Camera;
import android.hardware.Sensor;
import android.hardware.SensorEvent;
import android.hardware.SensorEventListener;
import android.hardware.SensorManager;
import android.hardware.camera2.CameraCharacteristics;
import android.hardware.camera2.CameraManager;
import android.os.Handler;
import android.os.Looper;
import android.os.SystemClock;
import android.util.Range;
import android.util.Size;
import java.util.ArrayList;
import java.util.List;
import org.robolectric.Shadows;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.shadow.api.Shadow;
import org.robolectric.shadows.SensorEventBuilder;
import org.robolectric.shadows.ShadowActivityManager;
import org.robolectric.shadows.ShadowCamera;
import org.robolectric.shadows.ShadowCameraCharacteristics;
import org.robolectric.shadows.ShadowCameraManager;
import org.robolectric.shadows.ShadowPackageManager;
import org.robolectric.shadows.ShadowSensorManager;
import org.robolectric.shadows.StreamConfigurationMapBuilder;
import org.robolectric.util.ReflectionHelpers;

/** The hardware that every phone has and that apps take for granted: sensors and a camera. */
public final class PhoneParts {
  private static final String[] FEATURES = {
    PackageManager.FEATURE_AUDIO_OUTPUT,
    PackageManager.FEATURE_BLUETOOTH,
    PackageManager.FEATURE_BLUETOOTH_LE,
    PackageManager.FEATURE_CAMERA,
    PackageManager.FEATURE_CAMERA_ANY,
    PackageManager.FEATURE_CAMERA_AUTOFOCUS,
    PackageManager.FEATURE_FAKETOUCH,
    PackageManager.FEATURE_LOCATION,
    PackageManager.FEATURE_LOCATION_GPS,
    PackageManager.FEATURE_LOCATION_NETWORK,
    PackageManager.FEATURE_MICROPHONE,
    PackageManager.FEATURE_SCREEN_LANDSCAPE,
    PackageManager.FEATURE_SCREEN_PORTRAIT,
    PackageManager.FEATURE_SENSOR_ACCELEROMETER,
    PackageManager.FEATURE_SENSOR_COMPASS,
    PackageManager.FEATURE_SENSOR_GYROSCOPE,
    PackageManager.FEATURE_SENSOR_LIGHT,
    PackageManager.FEATURE_SENSOR_PROXIMITY,
    PackageManager.FEATURE_TELEPHONY,
    PackageManager.FEATURE_TELEPHONY_GSM,
    PackageManager.FEATURE_TOUCHSCREEN,
    PackageManager.FEATURE_TOUCHSCREEN_MULTITOUCH,
    PackageManager.FEATURE_TOUCHSCREEN_MULTITOUCH_DISTINCT,
    PackageManager.FEATURE_WEBVIEW,
    PackageManager.FEATURE_WIFI,
  };

  private static final int OPEN_GL_ES_3 = 0x30000;

  private PhoneParts() {}

  /** Sets up the parts of a new process's phone. */
  static void install(Application application) {
    ShadowPackageManager packages = Shadows.shadowOf(application.getPackageManager());
    for (String feature : FEATURES) {
      packages.setSystemFeature(feature, true);
      FeatureInfo info = new FeatureInfo();
      info.name = feature;
      packages.addSystemAvailableFeature(info);
    }
    // A phone has OpenGL, though here it stays black; apps refuse phones without.
    ConfigurationInfo able = new ConfigurationInfo();
    able.reqGlEsVersion = OPEN_GL_ES_3;
    able.reqTouchScreen = Configuration.TOUCHSCREEN_FINGER;
    ShadowActivityManager activities =
        Shadow.extract(application.getSystemService(ActivityManager.class));
    activities.setDeviceConfigurationInfo(able);
    Camera.CameraInfo camera = new Camera.CameraInfo();
    camera.facing = Camera.CameraInfo.CAMERA_FACING_BACK;
    camera.orientation = 90;
    ShadowCamera.addCameraInfo(0, camera);
    ShadowCameraManager cameras = Shadow.extract(application.getSystemService(CameraManager.class));
    cameras.addCamera("0", backCamera());
    PhoneKeyStore.install();
    SensorsOfPhone.forget();
  }

  /**
   * A simple camera at the back, in the interface that replaced {@code android.hardware.Camera}.
   */
  private static CameraCharacteristics backCamera() {
    CameraCharacteristics camera = ShadowCameraCharacteristics.newCameraCharacteristics();
    ShadowCameraCharacteristics says = Shadow.extract(camera);
    says.set(CameraCharacteristics.LENS_FACING, CameraCharacteristics.LENS_FACING_BACK);
    says.set(
        CameraCharacteristics.INFO_SUPPORTED_HARDWARE_LEVEL,
        CameraCharacteristics.INFO_SUPPORTED_HARDWARE_LEVEL_LEGACY);
    says.set(
        CameraCharacteristics.REQUEST_AVAILABLE_CAPABILITIES,
        new int[] {CameraCharacteristics.REQUEST_AVAILABLE_CAPABILITIES_BACKWARD_COMPATIBLE});
    says.set(CameraCharacteristics.SENSOR_ORIENTATION, 90);
    says.set(CameraCharacteristics.SENSOR_INFO_ACTIVE_ARRAY_SIZE, new Rect(0, 0, 1280, 720));
    says.set(CameraCharacteristics.FLASH_INFO_AVAILABLE, true);
    says.set(CameraCharacteristics.SCALER_AVAILABLE_MAX_DIGITAL_ZOOM, 4f);
    says.set(
        CameraCharacteristics.CONTROL_AF_AVAILABLE_MODES,
        new int[] {
          CameraCharacteristics.CONTROL_AF_MODE_OFF, CameraCharacteristics.CONTROL_AF_MODE_AUTO
        });
    says.set(CameraCharacteristics.CONTROL_AE_AVAILABLE_TARGET_FPS_RANGES, frameRates());
    says.set(
        CameraCharacteristics.SCALER_STREAM_CONFIGURATION_MAP,
        StreamConfigurationMapBuilder.newBuilder()
            .addOutputSize(new Size(1280, 720))
            .addOutputSize(new Size(640, 480))
            .build());
    return camera;
  }

  @SuppressWarnings({"unchecked", "rawtypes"})
  private static Range<Integer>[] frameRates() {
    return new Range[] {new Range<>(15, 30)};
  }

  /** The values of a phone's sensors while it lies on a table. */
  private enum Reading {
    ACCELEROMETER(Sensor.TYPE_ACCELEROMETER, "Accelerometer", 39.3f, 0, 0, 9.81f),
    MAGNETIC_FIELD(Sensor.TYPE_MAGNETIC_FIELD, "Magnetic field", 2000, 0, 22, -43),
    ORIENTATION(3, "Orientation", 360, 0, 0, 0),
    GYROSCOPE(Sensor.TYPE_GYROSCOPE, "Gyroscope", 34.9f, 0, 0, 0),
    LIGHT(Sensor.TYPE_LIGHT, "Light", 40000, 100),
    PROXIMITY(Sensor.TYPE_PROXIMITY, "Proximity", 5, 5),
    GRAVITY(Sensor.TYPE_GRAVITY, "Gravity", 39.3f, 0, 0, 9.81f),
    LINEAR_ACCELERATION(Sensor.TYPE_LINEAR_ACCELERATION, "Linear acceleration", 39.3f, 0, 0, 0),
    ROTATION_VECTOR(Sensor.TYPE_ROTATION_VECTOR, "Rotation vector", 1, 0, 0, 0, 1, 0);

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
  }

  private static final class SensorsOfPhone {
    private static List<Sensor> all = new ArrayList<>();

    static synchronized void forget() {
      all = new ArrayList<>();
    }

    static synchronized List<Sensor> all() {
      if (all.isEmpty()) {
        for (Reading reading : Reading.values()) {
          all.add(sensor(reading));
        }
      }
      return new ArrayList<>(all);
    }

    private static Sensor sensor(Reading reading) {
      Sensor sensor = Shadow.newInstanceOf(Sensor.class);
      ReflectionHelpers.callInstanceMethod(
          sensor, "setType", ReflectionHelpers.ClassParameter.from(int.class, reading.type));
      ReflectionHelpers.setField(sensor, "mName", reading.label);
      ReflectionHelpers.setField(sensor, "mVendor", "The Android Open Source Project");
      ReflectionHelpers.setField(sensor, "mVersion", 1);
      ReflectionHelpers.setField(sensor, "mHandle", reading.ordinal() + 1);
      ReflectionHelpers.setField(sensor, "mMaxRange", reading.range);
      ReflectionHelpers.setField(sensor, "mResolution", reading.range / 4096);
      ReflectionHelpers.setField(sensor, "mPower", 0.1f);
      ReflectionHelpers.setField(sensor, "mMinDelay", 10_000);
      return sensor;
    }

    static float[] valuesOf(Sensor sensor) {
      for (Reading reading : Reading.values()) {
        if (reading.type == sensor.getType()) {
          return reading.values.clone();
        }
      }
      return new float[] {0, 0, 0};
    }
  }

  /** Sensors that all say the same a few times and are silent then, since nothing moves. */
  @Implements(value = SensorManager.class, isInAndroidSdk = false)
  public static class OfSensorManager extends ShadowSensorManager {
    private static final int READINGS = 3;
    private static final long PAUSE_MILLIS = 100;

    @Override
    @Implementation
    protected Sensor getDefaultSensor(int type) {
      List<Sensor> sensors = getSensorList(type);
      return sensors.isEmpty() ? null : sensors.get(0);
    }

    @Override
    @Implementation
    public List<Sensor> getSensorList(int type) {
      List<Sensor> sensors = SensorsOfPhone.all();
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
      Handler target = handler != null ? handler : new Handler(Looper.getMainLooper());
      for (int i = 1; i <= READINGS; i++) {
        target.postDelayed(() -> deliver(listener, sensor), i * PAUSE_MILLIS);
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

    private void deliver(SensorEventListener listener, Sensor sensor) {
      if (hasListener(listener, sensor)) {
        SensorEvent event =
            SensorEventBuilder.newBuilder(sensor, SensorsOfPhone.valuesOf(sensor))
                .setTimestamp(SystemClock.elapsedRealtimeNanos())
                .build();
        event.accuracy = SensorManager.SENSOR_STATUS_ACCURACY_HIGH;
        listener.onSensorChanged(event);
      }
    }
  }
}
