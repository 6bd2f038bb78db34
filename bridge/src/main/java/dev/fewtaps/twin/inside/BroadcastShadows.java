package dev.fewtaps.twin.inside;

import android.app.PendingIntent;
import android.content.BroadcastReceiver;
import android.content.Context;
import android.content.Intent;
import android.content.IntentFilter;
import android.os.Bundle;
import android.os.Handler;
import android.os.UserHandle;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.annotation.RealObject;
import org.robolectric.shadows.ShadowPendingIntent;
import org.robolectric.util.ReflectionHelpers;

/**
 * Hands broadcasts and pending intents to {@link Receivers}, which orders, keeps and delivers them.
 */
public final class BroadcastShadows {
  private BroadcastShadows() {}

  private static Receivers receivers() {
    return Device.current().receivers();
  }

  /** Sends broadcasts and registers receivers. */
  @Implements(className = "android.app.ContextImpl", isInAndroidSdk = false)
  public static class OfContextImpl extends TwinShadows.OfContextImpl {
    @RealObject private Context context;

    /**
     * The component that the app knows this context as: the activity, service or application around
     * it.
     */
    private Context outer() {
      Context component = ComponentContext.registering();
      return component != null
          ? component
          : ReflectionHelpers.callInstanceMethod(context, "getOuterContext");
    }

    @Override
    @Implementation
    protected void sendBroadcast(Intent intent) {
      receivers().send(intent, null, 0);
    }

    @Override
    @Implementation
    protected void sendBroadcast(Intent intent, String permission) {
      receivers().send(intent, permission, 0);
    }

    @Override
    @Implementation
    protected void sendBroadcast(Intent intent, String permission, Bundle options) {
      receivers().send(intent, permission, 0);
    }

    @Override
    @Implementation
    protected void sendBroadcastAsUser(Intent intent, UserHandle user) {
      receivers().send(intent, null, 0);
    }

    @Override
    @Implementation
    protected void sendBroadcastAsUser(Intent intent, UserHandle user, String permission) {
      receivers().send(intent, permission, 0);
    }

    @Override
    @Implementation
    protected void sendBroadcastAsUser(
        Intent intent, UserHandle user, String permission, Bundle options) {
      receivers().send(intent, permission, 0);
    }

    @Override
    @Implementation
    protected void sendOrderedBroadcast(Intent intent, String permission) {
      receivers().sendOrdered(intent, permission, null, null, 0, null, null);
    }

    @Override
    @Implementation
    protected void sendOrderedBroadcast(
        Intent intent,
        String permission,
        BroadcastReceiver last,
        Handler scheduler,
        int code,
        String data,
        Bundle extras) {
      receivers().sendOrdered(intent, permission, last, scheduler, code, data, extras);
    }

    @Override
    @Implementation
    protected void sendOrderedBroadcastAsUser(
        Intent intent,
        UserHandle user,
        String permission,
        BroadcastReceiver last,
        Handler scheduler,
        int code,
        String data,
        Bundle extras) {
      receivers().sendOrdered(intent, permission, last, scheduler, code, data, extras);
    }

    @Override
    @Implementation
    protected void sendStickyBroadcast(Intent intent) {
      receivers().sendSticky(intent);
    }

    @Implementation
    protected void removeStickyBroadcast(Intent intent) {
      receivers().removeSticky(intent);
    }

    @Override
    @Implementation
    protected Intent registerReceiver(BroadcastReceiver receiver, IntentFilter filter) {
      TargetRules.checkReceiver(context, receiver, filter, 0);
      return receivers().register(outer(), receiver, filter, null);
    }

    @Override
    @Implementation
    protected Intent registerReceiver(BroadcastReceiver receiver, IntentFilter filter, int flags) {
      TargetRules.checkReceiver(context, receiver, filter, flags);
      return receivers().register(outer(), receiver, filter, null);
    }

    @Override
    @Implementation
    protected Intent registerReceiver(
        BroadcastReceiver receiver, IntentFilter filter, String permission, Handler scheduler) {
      TargetRules.checkReceiver(context, receiver, filter, 0);
      return receivers().register(outer(), receiver, filter, scheduler);
    }

    @Override
    @Implementation
    protected Intent registerReceiver(
        BroadcastReceiver receiver,
        IntentFilter filter,
        String permission,
        Handler scheduler,
        int flags) {
      TargetRules.checkReceiver(context, receiver, filter, flags);
      return receivers().register(outer(), receiver, filter, scheduler);
    }

    @Override
    @Implementation
    protected Intent registerReceiverAsUser(
        BroadcastReceiver receiver,
        UserHandle user,
        IntentFilter filter,
        String permission,
        Handler scheduler) {
      return receivers().register(outer(), receiver, filter, scheduler);
    }

    @Override
    @Implementation
    protected void unregisterReceiver(BroadcastReceiver receiver) {
      receivers().unregister(receiver);
    }
  }

  /** The framework's own receiver, whose abort travels with the result. */
  @Implements(value = BroadcastReceiver.class, isInAndroidSdk = false)
  public static class OfBroadcastReceiver {}

  /** The framework's own result. */
  @Implements(value = BroadcastReceiver.PendingResult.class, isInAndroidSdk = false)
  public static class OfPendingResult {}

  /** Sends a pending intent as if the app itself had started or broadcast it. */
  @Implements(value = PendingIntent.class, isInAndroidSdk = false)
  public static class OfPendingIntent extends ShadowPendingIntent {
    @RealObject private PendingIntent pending;

    @Implementation
    protected static PendingIntent getActivity(
        Context context, int code, Intent intent, int flags) {
      TargetRules.checkPendingIntent(context, flags, intent);
      return ShadowPendingIntent.getActivity(context, code, intent, flags);
    }

    @Implementation
    protected static PendingIntent getActivity(
        Context context, int code, Intent intent, int flags, Bundle options) {
      TargetRules.checkPendingIntent(context, flags, intent);
      return ShadowPendingIntent.getActivity(context, code, intent, flags, options);
    }

    @Implementation
    protected static PendingIntent getActivities(
        Context context, int code, Intent[] intents, int flags) {
      TargetRules.checkPendingIntent(context, flags, intents);
      return ShadowPendingIntent.getActivities(context, code, intents, flags);
    }

    @Implementation
    protected static PendingIntent getActivities(
        Context context, int code, Intent[] intents, int flags, Bundle options) {
      TargetRules.checkPendingIntent(context, flags, intents);
      return ShadowPendingIntent.getActivities(context, code, intents, flags, options);
    }

    @Implementation
    protected static PendingIntent getBroadcast(
        Context context, int code, Intent intent, int flags) {
      TargetRules.checkPendingIntent(context, flags, intent);
      return ShadowPendingIntent.getBroadcast(context, code, intent, flags);
    }

    @Implementation
    protected static PendingIntent getService(Context context, int code, Intent intent, int flags) {
      TargetRules.checkPendingIntent(context, flags, intent);
      return ShadowPendingIntent.getService(context, code, intent, flags);
    }

    @Implementation
    protected static PendingIntent getForegroundService(
        Context context, int code, Intent intent, int flags) {
      TargetRules.checkPendingIntent(context, flags, intent);
      return ShadowPendingIntent.getForegroundService(context, code, intent, flags);
    }

    @Override
    @Implementation
    protected void send(
        Context context,
        int code,
        Intent fillIn,
        PendingIntent.OnFinished onFinished,
        Handler handler,
        String permission,
        Bundle options)
        throws PendingIntent.CanceledException {
      if (isCanceled()) {
        throw new PendingIntent.CanceledException();
      }
      Intent[] intents = getSavedIntents();
      for (int i = 0; i < intents.length; i++) {
        Intent intent = new Intent(intents[i]);
        if (fillIn != null
            && i == intents.length - 1
            && (getFlags() & PendingIntent.FLAG_IMMUTABLE) == 0) {
          intent.fillIn(fillIn, getFlags());
        }
        deliver(intent, code, permission);
        if (onFinished != null && i == intents.length - 1) {
          Runnable tell = () -> onFinished.onSendFinished(pending, intent, code, null, null);
          Device.current().activities().post(handler == null ? tell : () -> handler.post(tell));
        }
      }
      if ((getFlags() & PendingIntent.FLAG_ONE_SHOT) != 0) {
        pending.cancel();
      }
    }

    private void deliver(Intent intent, int code, String permission) {
      if (isActivity()) {
        try {
          Device.current().activities().start(intent, null, null, -1);
        } catch (android.content.ActivityNotFoundException e) {
          // The system starts it: the sender gets no answer.
          Device.current()
              .notes()
              .say("no activity for this intent: " + Neighbours.describe(intent));
        }
      } else if (isBroadcast()) {
        receivers().send(intent, permission, code);
      } else if (isForegroundService()) {
        RuntimeEnvironment.getApplication().startForegroundService(intent);
      } else if (isService()) {
        RuntimeEnvironment.getApplication().startService(intent);
      }
    }
  }
}
