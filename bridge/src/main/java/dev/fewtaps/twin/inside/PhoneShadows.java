package dev.fewtaps.twin.inside;

import android.app.AlarmManager;
import android.app.PendingIntent;
import android.content.Intent;
import android.content.pm.ApplicationInfo;
import android.content.pm.PackageInfo;
import android.content.pm.PackageManager;
import android.content.pm.ResolveInfo;
import android.os.Handler;
import android.os.IRemoteCallback;
import android.os.SystemClock;
import android.view.KeyEvent;
import android.webkit.WebView;
import android.webkit.WebViewFactoryProvider;
import dev.fewtaps.twin.world.World;
import java.util.ArrayList;
import java.util.List;
import org.robolectric.annotation.ClassName;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.shadows.ShadowAlarmManager;
import org.robolectric.shadows.ShadowApplicationPackageManager;
import org.robolectric.shadows.ShadowKeyEvent;
import org.robolectric.shadows.ShadowViewGroup;

/** Small corrections where Robolectric's phone answers differently from a real one. */
public final class PhoneShadows {
  private PhoneShadows() {}

  /** Sets alarms by the wall clock too: Robolectric takes every time for one since the start. */
  @Implements(value = AlarmManager.class, isInAndroidSdk = false)
  public static class OfAlarmManager extends ShadowAlarmManager {
    private static boolean isWallClock(int type) {
      return type == AlarmManager.RTC || type == AlarmManager.RTC_WAKEUP;
    }

    private static int sinceStart(int type) {
      return isWallClock(type) ? AlarmManager.ELAPSED_REALTIME_WAKEUP : type;
    }

    private static long sinceStart(int type, long trigger) {
      World world = World.current();
      return isWallClock(type) && world != null
          ? trigger - world.wallMillis() + SystemClock.elapsedRealtime()
          : trigger;
    }

    @Override
    @Implementation
    protected void set(int type, long trigger, PendingIntent operation) {
      super.set(sinceStart(type), sinceStart(type, trigger), operation);
    }

    @Override
    @Implementation
    protected void set(
        int type,
        long trigger,
        String tag,
        AlarmManager.OnAlarmListener listener,
        Handler handler) {
      super.set(sinceStart(type), sinceStart(type, trigger), tag, listener, handler);
    }

    @Override
    @Implementation
    protected void setRepeating(int type, long trigger, long interval, PendingIntent operation) {
      super.setRepeating(sinceStart(type), sinceStart(type, trigger), interval, operation);
    }

    @Override
    @Implementation
    protected void setInexactRepeating(
        int type, long trigger, long interval, PendingIntent operation) {
      super.setInexactRepeating(sinceStart(type), sinceStart(type, trigger), interval, operation);
    }

    @Override
    @Implementation
    protected void setWindow(int type, long trigger, long length, PendingIntent operation) {
      super.setWindow(sinceStart(type), sinceStart(type, trigger), length, operation);
    }

    @Override
    @Implementation
    protected void setExact(int type, long trigger, PendingIntent operation) {
      super.setExact(sinceStart(type), sinceStart(type, trigger), operation);
    }

    @Override
    @Implementation
    protected void setExact(
        int type,
        long trigger,
        String tag,
        AlarmManager.OnAlarmListener listener,
        Handler handler) {
      super.setExact(sinceStart(type), sinceStart(type, trigger), tag, listener, handler);
    }

    @Override
    @Implementation
    protected void setAndAllowWhileIdle(int type, long trigger, PendingIntent operation) {
      super.setAndAllowWhileIdle(sinceStart(type), sinceStart(type, trigger), operation);
    }

    @Override
    @Implementation
    protected void setExactAndAllowWhileIdle(int type, long trigger, PendingIntent operation) {
      super.setExactAndAllowWhileIdle(sinceStart(type), sinceStart(type, trigger), operation);
    }

    @Override
    @Implementation
    protected void setAlarmClock(AlarmManager.AlarmClockInfo info, PendingIntent operation) {
      setExact(AlarmManager.RTC_WAKEUP, info.getTriggerTime(), operation);
    }
  }

  /** Finds the neighbours too, for apps that ask before they start one. */
  @Implements(className = "android.app.ApplicationPackageManager", isInAndroidSdk = false)
  public static class OfPackageManager extends ShadowApplicationPackageManager {
    @Override
    @Implementation
    protected List<ResolveInfo> queryIntentActivities(Intent intent, int flags) {
      Device device = Device.current();
      List<ResolveInfo> found = super.queryIntentActivities(intent, flags);
      List<ResolveInfo> others = PhoneApps.launchable(device, intent);
      if (!others.isEmpty()) {
        others.addAll(0, found);
        return others;
      }
      return found.isEmpty() && device != null && Neighbours.isThere(device, intent)
          ? new ArrayList<>(List.of(Neighbours.resolved())) // Apps sort and shorten what they get.
          : found;
    }

    @Override
    @Implementation
    public List<PackageInfo> getInstalledPackages(int flags) {
      return withOthers(super.getInstalledPackages(flags));
    }

    @Override
    @Implementation(minSdk = 33)
    protected List<PackageInfo> getInstalledPackages(
        @ClassName("android.content.pm.PackageManager$PackageInfoFlags") Object flags) {
      return withOthers(super.getInstalledPackages(flags));
    }

    private static List<PackageInfo> withOthers(List<PackageInfo> own) {
      List<PackageInfo> all = new ArrayList<>(own);
      all.addAll(PhoneApps.packages(Device.current()));
      return all;
    }

    @Override
    @Implementation
    protected List<ApplicationInfo> getInstalledApplications(int flags) {
      return withOtherApplications(super.getInstalledApplications(flags));
    }

    @Override
    @Implementation(minSdk = 33)
    protected List<ApplicationInfo> getInstalledApplications(
        @ClassName("android.content.pm.PackageManager$ApplicationInfoFlags") Object flags) {
      return withOtherApplications(super.getInstalledApplications(flags));
    }

    private static List<ApplicationInfo> withOtherApplications(List<ApplicationInfo> own) {
      List<ApplicationInfo> all = new ArrayList<>(own);
      PhoneApps.packages(Device.current()).forEach(each -> all.add(each.applicationInfo));
      return all;
    }

    @Override
    @Implementation
    protected PackageInfo getPackageInfo(String name, int flags)
        throws PackageManager.NameNotFoundException {
      PackageInfo other = PhoneApps.about(Device.current(), name);
      return other == null ? super.getPackageInfo(name, flags) : other;
    }

    @Override
    @Implementation(minSdk = 33)
    protected PackageInfo getPackageInfo(
        String name, @ClassName("android.content.pm.PackageManager$PackageInfoFlags") Object flags)
        throws PackageManager.NameNotFoundException {
      PackageInfo other = PhoneApps.about(Device.current(), name);
      return other == null ? super.getPackageInfo(name, flags) : other;
    }

    @Override
    @Implementation(minSdk = 33)
    protected ApplicationInfo getApplicationInfo(
        String name,
        @ClassName("android.content.pm.PackageManager$ApplicationInfoFlags") Object flags)
        throws PackageManager.NameNotFoundException {
      PackageInfo other = PhoneApps.about(Device.current(), name);
      return other == null ? super.getApplicationInfo(name, flags) : other.applicationInfo;
    }

    @Override
    @Implementation
    protected ApplicationInfo getApplicationInfo(String name, int flags)
        throws PackageManager.NameNotFoundException {
      PackageInfo other = PhoneApps.about(Device.current(), name);
      return other == null ? super.getApplicationInfo(name, flags) : other.applicationInfo;
    }

    /** No package comes or goes while an app runs. */
    @Implementation(minSdk = 34)
    protected void registerPackageMonitorCallback(IRemoteCallback callback, int user) {}

    @Implementation(minSdk = 34)
    protected void unregisterPackageMonitorCallback(IRemoteCallback callback) {}
  }

  /** Knows keys by their names. */
  @Implements(value = KeyEvent.class, isInAndroidSdk = false)
  public static class OfKeyEvent extends ShadowKeyEvent {
    @Implementation
    protected static String nativeKeyCodeToString(int code) {
      return KeyNames.of(code);
    }
  }

  /** The framework's own web view, with an engine of ours. */
  @Implements(value = WebView.class, isInAndroidSdk = false)
  public static class OfWebView extends ShadowViewGroup {
    @Implementation
    protected static WebViewFactoryProvider getFactory() {
      return WebParts.provider();
    }

    @Implementation
    protected static PackageInfo getCurrentWebViewPackage() {
      return WebParts.enginePackage();
    }
  }
}
