package dev.fewtaps.samples.lab;

import android.app.Notification;
import android.app.NotificationChannel;
import android.app.NotificationManager;
import android.app.PendingIntent;
import android.content.Context;
import android.content.Intent;
import android.os.Build;

/** Posts and cancels notifications. */
public final class NotificationActivity extends LabActivity {
  private static final String CHANNEL = "lab";
  private static final int NOTIFICATION = 2;

  @Override
  protected void fill() {
    button("Notify", () -> {
      Intent open = new Intent(this, AnswerActivity.class);
      Notification notification =
          builder(this)
              .setContentTitle("Lab news")
              .setContentText("Something happened")
              .setContentIntent(PendingIntent.getActivity(this, 0, open, 0))
              .build();
      manager(this).notify(NOTIFICATION, notification);
      say("notified");
    });
    button("Cancel", () -> {
      manager(this).cancel(NOTIFICATION);
      say("canceled");
    });
    button("Active", () -> say("active " + manager(this).getActiveNotifications().length));
  }

  private static NotificationManager manager(Context context) {
    return (NotificationManager) context.getSystemService(Context.NOTIFICATION_SERVICE);
  }

  static Notification.Builder builder(Context context) {
    Notification.Builder builder;
    if (Build.VERSION.SDK_INT >= Build.VERSION_CODES.O) {
      manager(context)
          .createNotificationChannel(new NotificationChannel(CHANNEL, "Lab", NotificationManager.IMPORTANCE_LOW));
      builder = new Notification.Builder(context, CHANNEL);
    } else {
      builder = new Notification.Builder(context);
    }
    return builder.setSmallIcon(android.R.drawable.ic_dialog_info);
  }
}
