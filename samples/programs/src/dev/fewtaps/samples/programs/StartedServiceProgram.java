package dev.fewtaps.samples.programs;

import android.app.Service;
import android.content.Intent;
import android.os.IBinder;
import android.view.View;

/** A service runs because it was started, with the extras of the intent. */
// Played: open, go. In the slice: 2.
public final class StartedServiceProgram extends Program {
  @Override
  public void go(View view) {
    Intent intent = new Intent(this, Numbers.class); // full
    intent.putExtra("value", 0); // full thin
    startService(intent); // full
  }

  /** The service that reads the extra. */
  public static final class Numbers extends Service {
    @Override
    public int onStartCommand(Intent intent, int flags, int id) {
      int value = intent.getIntExtra("value", 1); // full thin
      int share = 100 / value; // full thin
      stopSelf(share);
      return START_NOT_STICKY;
    }

    @Override
    public IBinder onBind(Intent intent) {
      return null;
    }
  }
}
