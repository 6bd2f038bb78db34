package dev.fewtaps.samples.lab;

import android.content.BroadcastReceiver;
import android.content.Context;
import android.content.Intent;

/** Passes a fired alarm on to the screen, if it is there. */
public final class AlarmReceiver extends BroadcastReceiver {
  static AlarmActivity screen;

  @Override
  public void onReceive(Context context, Intent intent) {
    if (screen != null) {
      screen.fired(intent.getStringExtra("name"));
    }
  }
}
