package dev.fewtaps.twin.inside;

import android.content.Context;
import android.content.Intent;
import android.os.Environment;
import android.os.IBinder;
import java.io.File;
import org.robolectric.annotation.ClassName;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.shadows.ShadowCompatibility;
import org.robolectric.shadows.ShadowEnvironment;
import org.robolectric.util.ReflectionHelpers;

/** The system's side of what only Androids newer than the default one ask of it. */
public final class NewerShadows {
  private static final int Q = 29;
  private static final int R = 30;
  private static final int S = 31;
  private static final int T = 33;
  private static final int U = 34;

  private static final String MANAGE_EXTERNAL_STORAGE =
      "android.permission.MANAGE_EXTERNAL_STORAGE";

  private static final String INSETS_THREAD = "android.view.InsetsAnimationThread";

  private NewerShadows() {}

  static Class<?>[] all() {
    return new Class<?>[] {
      OfActivityClient.class,
      OfCompatibility.class,
      OfEnvironment.class,
      OfInsetsAnimationThread.class,
      OfSdkSandboxActivityAuthority.class,
    };
  }

  /** Where an activity asks what Back shall do once nothing in it wants the key. */
  @Implements(className = "android.app.ActivityClient", minSdk = S, isInAndroidSdk = false)
  public static class OfActivityClient {
    @Implementation(maxSdk = T)
    protected void onBackPressedOnTaskRoot(
        IBinder token, @ClassName("android.app.IRequestFinishCallback") Object callback) {
      leave(token, callback);
    }

    @Implementation(minSdk = U)
    protected void onBackPressed(
        IBinder token, @ClassName("android.app.IRequestFinishCallback") Object callback) {
      leave(token, callback);
    }

    private static void leave(IBinder token, Object callback) {
      if (!Device.current().activities().leaveByBack(token)) {
        ReflectionHelpers.callInstanceMethod(callback, "requestFinish");
      }
    }
  }

  /** Which changes of behaviour an app gets: Robolectric gives every app all of them. */
  @Implements(className = "android.compat.Compatibility", minSdk = R, isInAndroidSdk = false)
  public static class OfCompatibility extends ShadowCompatibility {
    @Implementation
    protected static boolean isChangeEnabled(long change) {
      Boolean applies = TargetRules.applies(change);
      return applies == null ? ShadowCompatibility.isChangeEnabled(change) : applies;
    }
  }

  /**
   * Tells an app whether it may use the shared storage freely; the real one looks it up by volumes.
   */
  @Implements(value = Environment.class, isInAndroidSdk = false)
  public static class OfEnvironment extends ShadowEnvironment {
    @Implementation(minSdk = Q)
    protected static boolean isExternalStorageLegacy() {
      return Device.current().manifest().applicationInfo.targetSdkVersion <= Q;
    }

    @Implementation(minSdk = Q)
    protected static boolean isExternalStorageLegacy(File path) {
      return isExternalStorageLegacy();
    }

    @Implementation(minSdk = R)
    protected static boolean isExternalStorageManager() {
      return Device.current().access().has(MANAGE_EXTERNAL_STORAGE);
    }

    @Implementation(minSdk = R)
    protected static boolean isExternalStorageManager(File path) {
      return isExternalStorageManager();
    }
  }

  /**
   * A thread that animates insets; it ends with the world, and then there is nothing to release.
   */
  @Implements(className = INSETS_THREAD, minSdk = R, isInAndroidSdk = false)
  public static class OfInsetsAnimationThread extends TwinShadows.OfHandlerThread {
    @Implementation
    protected static void release() {
      Class<?> type =
          ReflectionHelpers.loadClass(NewerShadows.class.getClassLoader(), INSETS_THREAD);
      ReflectionHelpers.setStaticField(type, "sInstance", null);
      ReflectionHelpers.setStaticField(type, "sHandler", null);
    }
  }

  /**
   * Whether an activity belongs to an advertiser's sandbox; none does, and an activity in an
   * activity has no context to ask.
   */
  @Implements(
      className = "android.app.sdksandbox.sandboxactivity.SdkSandboxActivityAuthority",
      minSdk = U,
      isInAndroidSdk = false)
  public static class OfSdkSandboxActivityAuthority {
    @Implementation
    protected static boolean isSdkSandboxActivityIntent(Context context, Intent intent) {
      return false;
    }
  }
}
