package dev.fewtaps.samples.lab;

import android.app.Service;
import android.content.Intent;
import android.os.IBinder;

/** A started service that counts its starts. */
public final class StartedService extends Service {
  static final Journal CALLS = new Journal();
  private int starts;

  @Override
  public void onCreate() {
    super.onCreate();
    CALLS.add("started: create");
  }

  @Override
  public int onStartCommand(Intent intent, int flags, int startId) {
    starts++;
    CALLS.add("started: start " + starts + " id " + startId + " " + intent.getStringExtra("word"));
    return START_NOT_STICKY;
  }

  @Override
  public IBinder onBind(Intent intent) {
    return null;
  }

  @Override
  public void onDestroy() {
    CALLS.add("started: destroy");
    super.onDestroy();
  }
}
