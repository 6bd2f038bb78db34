package dev.fewtaps.twin.inside;

import java.util.stream.Stream;

/** The list of our shadows, for {@code Sandboxes}. */
public final class ShadowList {
  private ShadowList() {}

  public static Class<?>[] all() {
    return Stream.of(
            ours(),
            AndroidFour.all(),
            AnimationShadows.all(),
            CameraShadows.all(),
            FileObservers.all(),
            ImageReaders.all(),
            MediaShadows.all(),
            NewerShadows.all(),
            PlaceShadows.all(),
            RadioShadows.all(),
            SensorShadows.all(),
            ServiceShadows.all(),
            SessionShadows.all(),
            StorageShadows.all(),
            SurfaceShadows.all(),
            TextureShadows.all(),
            ThemeShadows.all())
        .flatMap(Stream::of)
        .toArray(Class<?>[]::new);
  }

  private static Class<?>[] ours() {
    return new Class<?>[] {
      BroadcastShadows.OfBroadcastReceiver.class,
      BroadcastShadows.OfContextImpl.class,
      BroadcastShadows.OfPendingIntent.class,
      BroadcastShadows.OfPendingResult.class,
      PhoneShadows.OfAlarmManager.class,
      PhoneShadows.OfKeyEvent.class,
      PhoneShadows.OfPackageManager.class,
      PhoneShadows.OfWebView.class,
      TwinShadows.OfActivity.class,
      TwinShadows.OfActivityGroup.class,
      TwinShadows.OfFilter.class,
      TwinShadows.OfHandlerThread.class,
      TwinShadows.OfJobScheduler.class,
      TwinShadows.OfLoadedApk.class,
      TwinShadows.OfMessage.class,
      TwinShadows.OfMessageQueue.class,
      TwinShadows.OfQueuedWork.class,
      TwinShadows.OfSystemClock.class,
      TwinShadows.OfTabActivity.class,
      TwinShadows.OfTabHost.class,
      TwinShadows.OfTabSpec.class,
      TwinShadows.OfTabWidget.class,
      TwinShadows.OfToast.class,
      TwinShadows.OfViewTreeObserver.class,
    };
  }
}
