package dev.fewtaps.samples.pocket;

import android.service.notification.NotificationListenerService;

/** Would hear of all notifications. */
public final class HearingService extends NotificationListenerService {}
