package dev.fewtaps.twin.inside;

import android.os.IBinder;
import org.robolectric.annotation.ClassName;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.util.ReflectionHelpers;

/** The system's side of what only Androids newer than the default one ask of it. */
public final class NewerShadows {
  private static final int S = 31;
  private static final int T = 33;
  private static final int U = 34;

  private NewerShadows() {}

  static Class<?>[] all() {
    return new Class<?>[] {OfActivityClient.class};
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
}
