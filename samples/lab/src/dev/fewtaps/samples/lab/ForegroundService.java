package dev.fewtaps.samples.lab;

import android.app.Notification;
import android.app.Service;
import android.content.Intent;
import android.os.Handler;
import android.os.IBinder;

/** A foreground service that stops by itself after two seconds. */
public final class ForegroundService extends Service {
  private static final int NOTIFICATION = 1;
  private static final long LIFE_MS = 2000;

  @Override
  public int onStartCommand(Intent intent, int flags, int startId) {
    Notification notification =
        NotificationActivity.builder(this).setContentTitle("Working in the foreground").build();
    startForeground(NOTIFICATION, notification);
    StartedService.CALLS.add("foreground: start");
    new Handler().postDelayed(this::end, LIFE_MS);
    return START_NOT_STICKY;
  }

  private void end() {
    stopForeground(true);
    stopSelf();
  }

  @Override
  public IBinder onBind(Intent intent) {
    return null;
  }

  @Override
  public void onDestroy() {
    StartedService.CALLS.add("foreground: destroy");
    super.onDestroy();
  }
}
