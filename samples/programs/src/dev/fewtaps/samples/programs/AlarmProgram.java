package dev.fewtaps.samples.programs;

import android.app.AlarmManager;
import android.app.PendingIntent;
import android.content.BroadcastReceiver;
import android.content.Context;
import android.content.Intent;
import android.os.SystemClock;
import android.view.View;

/** A receiver runs because an alarm was set, with the extras of the pending intent. */
// Played: open, go, wait. In the slice: 2 3.
public final class AlarmProgram extends Program {
  @Override
  public void go(View view) {
    Intent intent = new Intent(this, Ring.class); // full
    intent.putExtra("other", 4); // out
    intent.putExtra("value", 0); // full thin
    PendingIntent ring = PendingIntent.getBroadcast(this, 1, intent, 0); // full
    AlarmManager alarms = (AlarmManager) getSystemService(ALARM_SERVICE); // full
    alarms.set(AlarmManager.ELAPSED_REALTIME, SystemClock.elapsedRealtime() + 5000, ring); // full
  }

  /** The receiver that reads the extra. */
  public static final class Ring extends BroadcastReceiver {
    @Override
    public void onReceive(Context context, Intent intent) {
      int value = intent.getIntExtra("value", 1); // full thin
      int share = 100 / value; // full thin
      setResultCode(share);
    }
  }
}
