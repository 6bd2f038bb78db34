package dev.fewtaps.twin.inside;

import android.app.ActivityManager;
import android.app.Application;
import android.content.pm.ConfigurationInfo;
import android.content.pm.FeatureInfo;
import android.content.pm.PackageManager;
import android.content.res.Configuration;
import android.graphics.ImageFormat;
import android.graphics.Rect;
import android.hardware.Camera;
import android.hardware.camera2.CameraCharacteristics;
import android.hardware.camera2.CameraManager;
import android.util.Range;
import android.util.Size;
import android.util.SizeF;
import org.robolectric.Shadows;
import org.robolectric.shadow.api.Shadow;
import org.robolectric.shadows.ShadowActivityManager;
import org.robolectric.shadows.ShadowCamera;
import org.robolectric.shadows.ShadowCameraCharacteristics;
import org.robolectric.shadows.ShadowCameraManager;
import org.robolectric.shadows.ShadowPackageManager;
import org.robolectric.shadows.StreamConfigurationMapBuilder;

/** The hardware that every phone has and that apps take for granted. */
final class PhoneParts {
  private static final String[] FEATURES = {
    PackageManager.FEATURE_AUDIO_OUTPUT,
    PackageManager.FEATURE_BLUETOOTH,
    PackageManager.FEATURE_BLUETOOTH_LE,
    PackageManager.FEATURE_CAMERA,
    PackageManager.FEATURE_CAMERA_ANY,
    PackageManager.FEATURE_CAMERA_AUTOFOCUS,
    PackageManager.FEATURE_CAMERA_FLASH,
    PackageManager.FEATURE_CAMERA_FRONT,
    PackageManager.FEATURE_FAKETOUCH,
    PackageManager.FEATURE_LOCATION,
    PackageManager.FEATURE_LOCATION_GPS,
    PackageManager.FEATURE_LOCATION_NETWORK,
    PackageManager.FEATURE_MICROPHONE,
    PackageManager.FEATURE_NFC,
    PackageManager.FEATURE_SCREEN_LANDSCAPE,
    PackageManager.FEATURE_SCREEN_PORTRAIT,
    PackageManager.FEATURE_SENSOR_ACCELEROMETER,
    PackageManager.FEATURE_SENSOR_BAROMETER,
    PackageManager.FEATURE_SENSOR_COMPASS,
    PackageManager.FEATURE_SENSOR_GYROSCOPE,
    PackageManager.FEATURE_SENSOR_LIGHT,
    PackageManager.FEATURE_SENSOR_PROXIMITY,
    PackageManager.FEATURE_SENSOR_STEP_COUNTER,
    PackageManager.FEATURE_SENSOR_STEP_DETECTOR,
    PackageManager.FEATURE_TELEPHONY,
    PackageManager.FEATURE_TELEPHONY_GSM,
    PackageManager.FEATURE_TOUCHSCREEN,
    PackageManager.FEATURE_TOUCHSCREEN_MULTITOUCH,
    PackageManager.FEATURE_TOUCHSCREEN_MULTITOUCH_DISTINCT,
    PackageManager.FEATURE_WEBVIEW,
    PackageManager.FEATURE_WIFI,
  };

  private static final int OPEN_GL_ES_3 = 0x30000;

  /** The format of JPEG pictures as hardware names it. */
  private static final int BLOB = 0x21;

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
    CameraShadows.forget();
    ShadowCamera.addCameraInfo(0, old(Camera.CameraInfo.CAMERA_FACING_BACK, 90));
    ShadowCamera.addCameraInfo(1, old(Camera.CameraInfo.CAMERA_FACING_FRONT, 270));
    ShadowCameraManager cameras = Shadow.extract(application.getSystemService(CameraManager.class));
    cameras.addCamera("0", camera(CameraCharacteristics.LENS_FACING_BACK, 90));
    cameras.addCamera("1", camera(CameraCharacteristics.LENS_FACING_FRONT, 270));
    PhoneKeyStore.install();
    SensorShadows.forget();
  }

  private static Camera.CameraInfo old(int facing, int orientation) {
    Camera.CameraInfo camera = new Camera.CameraInfo();
    camera.facing = facing;
    camera.orientation = orientation;
    return camera;
  }

  /** A simple camera, in the interface that replaced {@code android.hardware.Camera}. */
  private static CameraCharacteristics camera(int facing, int orientation) {
    boolean isBack = facing == CameraCharacteristics.LENS_FACING_BACK;
    CameraCharacteristics camera = ShadowCameraCharacteristics.newCameraCharacteristics();
    ShadowCameraCharacteristics says = Shadow.extract(camera);
    says.set(CameraCharacteristics.LENS_FACING, facing);
    says.set(
        CameraCharacteristics.INFO_SUPPORTED_HARDWARE_LEVEL,
        CameraCharacteristics.INFO_SUPPORTED_HARDWARE_LEVEL_LEGACY);
    says.set(
        CameraCharacteristics.REQUEST_AVAILABLE_CAPABILITIES,
        new int[] {CameraCharacteristics.REQUEST_AVAILABLE_CAPABILITIES_BACKWARD_COMPATIBLE});
    says.set(CameraCharacteristics.SENSOR_ORIENTATION, orientation);
    says.set(CameraCharacteristics.SENSOR_INFO_ACTIVE_ARRAY_SIZE, new Rect(0, 0, 1280, 720));
    says.set(CameraCharacteristics.FLASH_INFO_AVAILABLE, isBack);
    says.set(CameraCharacteristics.CONTROL_MAX_REGIONS_AF, isBack ? 1 : 0);
    says.set(CameraCharacteristics.CONTROL_MAX_REGIONS_AE, 1);
    says.set(
        CameraCharacteristics.CONTROL_AE_AVAILABLE_MODES,
        new int[] {CameraCharacteristics.CONTROL_AE_MODE_ON});
    says.set(CameraCharacteristics.CONTROL_AE_COMPENSATION_RANGE, new Range<>(-4, 4));
    says.set(CameraCharacteristics.LENS_INFO_AVAILABLE_FOCAL_LENGTHS, new float[] {4.25f});
    says.set(CameraCharacteristics.SENSOR_INFO_PHYSICAL_SIZE, new SizeF(5.64f, 4.23f));
    says.set(CameraCharacteristics.SENSOR_INFO_PIXEL_ARRAY_SIZE, new Size(1280, 720));
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
            .addOutputSize(BLOB, new Size(1280, 720))
            .addOutputSize(BLOB, new Size(640, 480))
            .addOutputSize(ImageFormat.YUV_420_888, new Size(1280, 720))
            .addOutputSize(ImageFormat.YUV_420_888, new Size(640, 480))
            .build());
    return camera;
  }

  @SuppressWarnings({"unchecked", "rawtypes"})
  private static Range<Integer>[] frameRates() {
    return new Range[] {new Range<>(15, 30)};
  }
}
