package dev.fewtaps.twin.inside;

import android.app.WallpaperManager;
import android.app.job.JobService;
import android.content.AsyncQueryHandler;
import android.content.Context;
import android.content.Intent;
import android.content.pm.LauncherApps;
import android.content.pm.PackageInfo;
import android.content.pm.ShortcutInfo;
import android.graphics.Bitmap;
import android.graphics.drawable.BitmapDrawable;
import android.graphics.drawable.Drawable;
import android.net.VpnService;
import android.net.http.X509TrustManagerExtensions;
import android.os.Environment;
import android.os.Looper;
import android.os.ParcelFileDescriptor;
import android.os.ResultReceiver;
import android.os.UserHandle;
import android.webkit.WebViewFactory;
import android.webkit.WebViewFactoryProvider;
import android.widget.ViewAnimator;
import android.widget.ZoomButtonsController;
import com.android.internal.os.BackgroundThread;
import java.io.File;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.net.ssl.X509TrustManager;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.shadows.ShadowEnvironment;
import org.robolectric.shadows.ShadowLauncherApps;
import org.robolectric.shadows.ShadowService;
import org.robolectric.shadows.ShadowViewGroup;
import org.robolectric.shadows.ShadowVpnService;
import org.robolectric.shadows.ShadowWallpaperManager;

/** Shadows of services that Robolectric refuses, leaves out or has only in a simpler form. */
public final class ServiceShadows {
  private ServiceShadows() {}

  static Class<?>[] all() {
    return new Class<?>[] {
      OfAsyncQueryHandler.class,
      OfBackgroundThread.class,
      OfConnectivityThread.class,
      OfEnvironment.class,
      OfJobService.class,
      OfLauncherApps.class,
      OfResultReceiver.class,
      OfTrustManagerExtensions.class,
      OfViewAnimator.class,
      OfVpnBuilder.class,
      OfVpnService.class,
      OfWallpaperManager.class,
      OfWebViewFactory.class,
      OfZoomButtonsController.class,
    };
  }

  /** The phone asks the user once whether an app may be a VPN. */
  @Implements(value = VpnService.class, isInAndroidSdk = false)
  public static class OfVpnService extends ShadowVpnService {
    @Implementation
    protected static Intent prepare(Context context) {
      return Device.current().access().questionAboutVpn();
    }
  }

  /** No VPN comes up; a phone says so in the same way when another app has taken its place. */
  @Implements(value = VpnService.Builder.class, isInAndroidSdk = false)
  public static class OfVpnBuilder {
    @Implementation
    protected ParcelFileDescriptor establish() {
      Device.current().notes().say("there is no VPN: establish() returned null");
      return null;
    }
  }

  /** The framework's own queries, which run in the background and answer later. */
  @Implements(value = AsyncQueryHandler.class, isInAndroidSdk = false)
  public static class OfAsyncQueryHandler {}

  /** The framework's own results, which go through a handler if the app has given one. */
  @Implements(value = ResultReceiver.class, isInAndroidSdk = false)
  public static class OfResultReceiver {}

  /** The framework's own view that shows one child at a time, with its animations. */
  @Implements(value = ViewAnimator.class, isInAndroidSdk = false)
  public static class OfViewAnimator extends ShadowViewGroup {}

  /** The framework's own zoom buttons. */
  @Implements(value = ZoomButtonsController.class, isInAndroidSdk = false)
  public static class OfZoomButtonsController {}

  /** The framework's own thread, which has to be of one family with other looper threads. */
  @Implements(value = BackgroundThread.class, isInAndroidSdk = false)
  public static class OfBackgroundThread extends TwinShadows.OfHandlerThread {}

  /** The framework keeps this thread for ever; that of a new process is a new one. */
  @Implements(className = "android.net.ConnectivityThread", isInAndroidSdk = false)
  public static class OfConnectivityThread {
    @Implementation
    protected static Looper getInstanceLooper() {
      return BackgroundThread.get().getLooper();
    }
  }

  /** The phone's shared storage is part of the phone, and all of it is there or none. */
  @Implements(value = Environment.class, isInAndroidSdk = false)
  public static class OfEnvironment extends ShadowEnvironment {
    private static String stateOf(File place) {
      File shared = Environment.getExternalStorageDirectory();
      return place.toPath().startsWith(shared.toPath())
          ? Environment.getExternalStorageState()
          : Environment.MEDIA_UNKNOWN;
    }

    @Implementation
    protected static String getExternalStorageState(File place) {
      return stateOf(place);
    }

    @Implementation
    protected static String getStorageState(File place) {
      return stateOf(place);
    }

    @Implementation
    protected static boolean isExternalStorageEmulated(File place) {
      return true;
    }

    @Implementation
    protected static boolean isExternalStorageEmulated() {
      return true;
    }
  }

  /** The framework's own job service, which tells the system when a job is done. */
  @Implements(value = JobService.class, isInAndroidSdk = false)
  public static class OfJobService extends ShadowService {}

  /** No app of this phone has shortcuts. */
  @Implements(value = LauncherApps.class, isInAndroidSdk = false)
  public static class OfLauncherApps extends ShadowLauncherApps {
    @Override
    @Implementation
    protected List<ShortcutInfo> getShortcuts(LauncherApps.ShortcutQuery query, UserHandle user) {
      return new ArrayList<>();
    }
  }

  /** Takes any trust manager, the JVM's too. */
  @Implements(value = X509TrustManagerExtensions.class, isInAndroidSdk = false)
  public static class OfTrustManagerExtensions {
    private X509TrustManager manager;

    @Implementation
    protected void __constructor__(X509TrustManager manager) {
      this.manager = manager;
    }

    @Implementation
    protected List<X509Certificate> checkServerTrusted(
        X509Certificate[] chain, String authType, String host) throws CertificateException {
      manager.checkServerTrusted(chain, authType);
      return Arrays.asList(chain);
    }

    @Implementation
    protected boolean isUserAddedCertificate(X509Certificate certificate) {
      return false;
    }
  }

  /** Every phone has a wallpaper; ours is black. */
  @Implements(value = WallpaperManager.class, isInAndroidSdk = false)
  public static class OfWallpaperManager extends ShadowWallpaperManager {
    private Bitmap wallpaper() {
      Bitmap set = super.getBitmap(WallpaperManager.FLAG_SYSTEM);
      return set != null ? set : Bitmap.createBitmap(16, 16, Bitmap.Config.ARGB_8888);
    }

    private Drawable drawable() {
      return new BitmapDrawable(RuntimeEnvironment.getApplication().getResources(), wallpaper());
    }

    @Implementation
    protected Drawable getDrawable() {
      return drawable();
    }

    @Implementation
    protected Drawable getFastDrawable() {
      return drawable();
    }

    @Implementation
    protected Drawable peekDrawable() {
      return drawable();
    }

    @Implementation
    protected Drawable peekFastDrawable() {
      return drawable();
    }
  }

  /** There is a browser engine. */
  @Implements(value = WebViewFactory.class, isInAndroidSdk = false)
  public static class OfWebViewFactory {
    @Implementation
    protected static WebViewFactoryProvider getProvider() {
      return WebParts.provider();
    }

    @Implementation
    protected static PackageInfo getLoadedPackageInfo() {
      return WebParts.enginePackage();
    }
  }
}
