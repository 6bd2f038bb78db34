package dev.fewtaps.samples.misbehave;

import android.app.Service;
import android.content.Intent;
import android.os.IBinder;

/** Dies when it is started. */
public final class FailingService extends Service {
  @Override
  public int onStartCommand(Intent intent, int flags, int startId) {
    throw new UnsupportedOperationException("the service gives up");
  }

  @Override
  public IBinder onBind(Intent intent) {
    return null;
  }
}
