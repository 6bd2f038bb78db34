package dev.fewtaps.samples.lab;

import android.app.AlarmManager;
import android.app.PendingIntent;
import android.content.Context;
import android.content.Intent;
import android.os.Handler;
import android.os.SystemClock;

/** Sets alarms and shows when they fire. */
public final class AlarmActivity extends LabActivity {
  private static final long DELAY_MS = 2000;

  private long setAt;
  private int repeats;

  @Override
  protected void fill() {
    AlarmReceiver.screen = this;
    button("Set", () -> {
      setAt = SystemClock.elapsedRealtime();
      alarms().set(AlarmManager.ELAPSED_REALTIME_WAKEUP, setAt + DELAY_MS, pending("set", 1));
      say("alarm set");
    });
    button("Clock time", () -> {
      setAt = SystemClock.elapsedRealtime();
      alarms().setExact(AlarmManager.RTC_WAKEUP, System.currentTimeMillis() + DELAY_MS, pending("clock", 2));
    });
    button("Repeat", () -> {
      setAt = SystemClock.elapsedRealtime();
      repeats = 0;
      alarms().setRepeating(AlarmManager.ELAPSED_REALTIME, setAt + 1000, 1000, pending("repeat", 3));
    });
    button("Listener", () ->
        alarms()
            .setExact(
                AlarmManager.ELAPSED_REALTIME,
                SystemClock.elapsedRealtime() + DELAY_MS,
                "listener",
                () -> say("listener fired"),
                new Handler()));
    button("Open screen", () ->
        alarms()
            .set(
                AlarmManager.ELAPSED_REALTIME,
                SystemClock.elapsedRealtime() + DELAY_MS,
                PendingIntent.getActivity(this, 4, new Intent(this, AnswerActivity.class), 0)));
    button("Cancel", () -> {
      alarms().cancel(pending("set", 1));
      alarms().cancel(pending("repeat", 3));
      say("canceled");
    });
  }

  void fired(String name) {
    if (name.equals("repeat") && ++repeats >= 3) {
      alarms().cancel(pending("repeat", 3));
    }
    say(name + " fired after " + (SystemClock.elapsedRealtime() - setAt) + " ms");
  }

  private AlarmManager alarms() {
    return (AlarmManager) getSystemService(Context.ALARM_SERVICE);
  }

  private PendingIntent pending(String name, int request) {
    Intent intent = new Intent(this, AlarmReceiver.class).putExtra("name", name);
    return PendingIntent.getBroadcast(this, request, intent, PendingIntent.FLAG_UPDATE_CURRENT);
  }

  @Override
  protected void onDestroy() {
    AlarmReceiver.screen = null;
    super.onDestroy();
  }
}
