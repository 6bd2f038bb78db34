package dev.fewtaps.twin.inside;

import android.app.PendingIntent;
import android.content.BroadcastReceiver;
import android.content.Context;
import android.content.Intent;
import android.content.IntentFilter;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.util.ReflectionHelpers;
import org.robolectric.util.ReflectionHelpers.ClassParameter;

/** Rules of newer Androids that hold only for apps which target them. */
final class TargetRules {
  private static final int S = 31;
  private static final int U = 34;
  private static final int RECEIVER_EXPORTED = 0x2;
  private static final int RECEIVER_NOT_EXPORTED = 0x4;

  /** Changes that apps see, by number: the lowest target that gets each. */
  private static final Map<Long, Integer> SINCE =
      Map.ofEntries(
          Map.entry(119147584L, 30), // SharedPreferences: clear() tells listeners.
          Map.entry(147798919L, 30), // Toast: text is drawn by the system.
          Map.entry(150939131L, 30), // ContentObserver: flags.
          Map.entry(144027538L, 31), // LocationManager: no GpsStatus.
          Map.entry(148963590L, 31), // LocationManager: pending intents must name a component.
          Map.entry(148964793L, 31), // LocationManager: test locations must be complete.
          Map.entry(150935354L, 31), // LocationManager: getProvider checks permissions.
          Map.entry(160794467L, 31), // PendingIntent: mutable or immutable must be said.
          Map.entry(170233598L, 31), // DateFormat: no field twice in a skeleton.
          Map.entry(171228096L, 31), // EdgeEffect: stretch.
          Map.entry(171317480L, 31), // LocationManager: pending intents must be mutable.
          Map.entry(140852299L, 33), // JobInfo: priorities are checked.
          Map.entry(193247900L, 33), // Context: callbacks may be overridden.
          Map.entry(194532703L, 33), // JobInfo: no deadline for prefetch.
          Map.entry(210923482L, 33), // TextView: line spacing of fallback fonts.
          Map.entry(236704164L, 34), // PendingIntent: no mutable implicit ones.
          Map.entry(242716250L, 34), // ZipFile: no paths that lead out.
          Map.entry(253665015L, 34), // JobInfo: no negative estimates.
          Map.entry(255371817L, 34), // JobScheduler: data transfer is checked.
          Map.entry(63938206L, 35), // TextView: width by bounds.
          Map.entry(151861875L, 35), // Configuration: insets are not part of it.
          Map.entry(279646685L, 35), // Paint: no fonts for user interfaces.
          Map.entry(297019750L, 35), // RenderScript.
          Map.entry(303326708L, 35), // EditText: line height by locale.
          Map.entry(311402873L, 35), // JobInfo: least window.
          Map.entry(319400769L, 35), // URLUtil: file names.
          Map.entry(323349338L, 36), // JobInfo: no negative delays.
          Map.entry(349519475L, 36), // Paint: the same, enforced.
          Map.entry(377864165L, 36)); // PhoneWindow: edge to edge for all.

  /** Changes that are turned on for debugging only. */
  private static final Set<Long> NEVER =
      Set.of(132649864L, 184838306L, 185004937L, 237531167L, 332679525L, 388014743L);

  private TargetRules() {}

  /** Whether a change applies to the app, or null if nothing is known about it. */
  static Boolean applies(long change) {
    Device device = Device.current();
    Integer since = SINCE.get(change);
    if (NEVER.contains(change)) {
      return false;
    }
    return since == null || device == null ? null : target() >= since;
  }

  private static int target() {
    return Device.current().manifest().applicationInfo.targetSdkVersion;
  }

  /**
   * Lets the framework check what an app asks of a pending intent, which it does since Android 12.
   */
  static void checkPendingIntent(Context context, int flags, Intent... intents) {
    int level = RuntimeEnvironment.getApiLevel();
    if (level < S) {
      return;
    }
    if (level < U) {
      ReflectionHelpers.callStaticMethod(
          PendingIntent.class,
          "checkFlags",
          ClassParameter.from(int.class, flags),
          ClassParameter.from(String.class, context.getPackageName()));
      return;
    }
    for (Intent intent : intents) {
      ReflectionHelpers.callStaticMethod(
          PendingIntent.class,
          "checkPendingIntent",
          ClassParameter.from(int.class, flags),
          ClassParameter.from(Intent.class, intent),
          ClassParameter.from(Context.class, context),
          ClassParameter.from(boolean.class, false));
    }
  }

  /**
   * Apps for Android 14 must say whether others may send to a receiver, but for the system's own.
   */
  static void checkReceiver(
      Context context, BroadcastReceiver receiver, IntentFilter filter, int flags) {
    boolean said = (flags & (RECEIVER_EXPORTED | RECEIVER_NOT_EXPORTED)) != 0;
    if (receiver == null
        || said
        || RuntimeEnvironment.getApiLevel() < U
        || target() < U
        || isForSystemOnly(filter)) {
      return;
    }
    throw new SecurityException(
        context.getPackageName()
            + ": One of RECEIVER_EXPORTED or RECEIVER_NOT_EXPORTED should be specified when a"
            + " receiver isn't being registered exclusively for system broadcasts");
  }

  private static boolean isForSystemOnly(IntentFilter filter) {
    for (Iterator<String> actions = filter.actionsIterator();
        actions != null && actions.hasNext(); ) {
      String action = actions.next();
      if (!action.startsWith("android.") && !action.startsWith("com.android.")) {
        return false;
      }
    }
    return true;
  }
}
