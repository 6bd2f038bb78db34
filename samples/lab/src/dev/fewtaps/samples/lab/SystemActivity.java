package dev.fewtaps.samples.lab;

import android.app.ActivityManager;
import android.content.ComponentCallbacks2;
import android.content.Context;
import android.content.pm.PackageInfo;
import android.content.pm.PackageManager;
import android.hardware.camera2.CameraAccessException;
import android.hardware.camera2.CameraCharacteristics;
import android.hardware.camera2.CameraManager;
import android.os.Build;
import android.os.PowerManager;
import android.os.Vibrator;
import android.provider.Settings;
import android.security.keystore.KeyGenParameterSpec;
import android.security.keystore.KeyProperties;
import android.util.DisplayMetrics;
import android.util.Log;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Arrays;
import java.util.Collections;
import java.util.Locale;
import javax.crypto.Cipher;
import javax.crypto.KeyGenerator;
import javax.crypto.spec.GCMParameterSpec;

/** Facts about the device and the app, and the calls the system makes under pressure. */
public final class SystemActivity extends LabActivity {
  private static final String[] SERVICES = {
    Context.ACTIVITY_SERVICE, Context.AUDIO_SERVICE, Context.CLIPBOARD_SERVICE, Context.CONNECTIVITY_SERVICE,
    Context.DOWNLOAD_SERVICE, Context.INPUT_METHOD_SERVICE, Context.KEYGUARD_SERVICE, Context.LAYOUT_INFLATER_SERVICE,
    Context.LOCATION_SERVICE, Context.NOTIFICATION_SERVICE, Context.POWER_SERVICE, Context.SEARCH_SERVICE,
    Context.SENSOR_SERVICE, Context.TELEPHONY_SERVICE, Context.UI_MODE_SERVICE, Context.VIBRATOR_SERVICE,
    Context.WIFI_SERVICE, Context.WINDOW_SERVICE,
  };

  @Override
  protected void fill() {
    button("Build", () -> {
      say("model " + Build.MODEL + " by " + Build.MANUFACTURER);
      say("sdk " + Build.VERSION.SDK_INT + " release " + Build.VERSION.RELEASE);
      say("abis " + Arrays.toString(Build.SUPPORTED_ABIS));
    });
    button("Screen", () -> {
      DisplayMetrics metrics = getResources().getDisplayMetrics();
      say("screen " + metrics.widthPixels + "x" + metrics.heightPixels + " density " + metrics.densityDpi);
    });
    button("Locale", () -> say("locale " + Locale.getDefault() + " cancel = " + getString(R.string.cancel)));
    button("Package", this::packageFacts);
    button("Services", this::services);
    button("Airplane", () ->
        say("airplane " + Settings.Global.getInt(getContentResolver(), Settings.Global.AIRPLANE_MODE_ON, 0)));
    button("Vibrate", () -> {
      ((Vibrator) getSystemService(Context.VIBRATOR_SERVICE)).vibrate(50);
      say("vibrated");
    });
    button("Interactive", () -> say("screen on " + ((PowerManager) getSystemService(Context.POWER_SERVICE)).isInteractive()));
    button("Log", () -> Log.e("lab", "it failed", new IllegalStateException("outside", new IOException("inside"))));
    button("Memory", () -> say("memory known " + (Runtime.getRuntime().maxMemory() > 0)));
    button("Parts", this::parts);
    button("Key store", this::keyStore);
    say("locale " + Locale.getDefault());
  }

  private void parts() {
    ActivityManager activities = (ActivityManager) getSystemService(Context.ACTIVITY_SERVICE);
    say("OpenGL ES " + activities.getDeviceConfigurationInfo().getGlEsVersion());
    try {
      CameraManager cameras = (CameraManager) getSystemService(Context.CAMERA_SERVICE);
      for (String id : cameras.getCameraIdList()) {
        say("camera " + id + " facing " + cameras.getCameraCharacteristics(id).get(CameraCharacteristics.LENS_FACING));
      }
    } catch (CameraAccessException error) {
      say("camera " + error);
    }
  }

  private void keyStore() {
    try {
      KeyStore store = KeyStore.getInstance("AndroidKeyStore");
      store.load(null);
      say("keys " + Collections.list(store.aliases()));
      KeyGenerator maker = KeyGenerator.getInstance("AES", "AndroidKeyStore");
      maker.init(
          new KeyGenParameterSpec.Builder("lab", KeyProperties.PURPOSE_ENCRYPT | KeyProperties.PURPOSE_DECRYPT)
              .setBlockModes(KeyProperties.BLOCK_MODE_GCM)
              .setEncryptionPaddings(KeyProperties.ENCRYPTION_PADDING_NONE)
              .build());
      Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
      cipher.init(Cipher.ENCRYPT_MODE, maker.generateKey());
      byte[] secret = cipher.doFinal("secret".getBytes());
      cipher.init(Cipher.DECRYPT_MODE, store.getKey("lab", null), new GCMParameterSpec(128, cipher.getIV()));
      say("read back " + new String(cipher.doFinal(secret)));
    } catch (GeneralSecurityException | IOException error) {
      say("keys " + error);
    }
  }

  private void packageFacts() {
    try {
      PackageInfo info = getPackageManager().getPackageInfo(getPackageName(), PackageManager.GET_ACTIVITIES);
      say(info.packageName + " " + info.versionName + " (" + info.versionCode + "), " + info.activities.length + " activities");
      say("installer " + getPackageManager().getInstallerPackageName(getPackageName()));
    } catch (PackageManager.NameNotFoundException error) {
      say("own package not found");
    }
  }

  private void services() {
    int found = 0;
    for (String name : SERVICES) {
      if (getSystemService(name) == null) {
        say("no " + name);
      } else {
        found++;
      }
    }
    say("services " + found + " of " + SERVICES.length);
  }

  @Override
  public void onLowMemory() {
    super.onLowMemory();
    say("low memory");
  }

  @Override
  public void onTrimMemory(int level) {
    super.onTrimMemory(level);
    say("trim " + (level >= ComponentCallbacks2.TRIM_MEMORY_UI_HIDDEN ? "hidden" : "running"));
  }
}
