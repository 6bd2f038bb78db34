package dev.fewtaps.samples.programs;

import android.content.BroadcastReceiver;
import android.content.Context;
import android.content.Intent;
import android.content.IntentFilter;
import android.view.View;

/** A receiver runs because it was registered and because a broadcast was sent. */
// Played: open, go. In the slice: 2.
public final class BroadcastProgram extends Program {
  @Override
  public void go(View view) {
    registerReceiver(new Numbers(), new IntentFilter("numbers")); // full
    Intent intent = new Intent("numbers"); // full
    intent.putExtra("other", 4); // out
    intent.putExtra("value", 0); // full thin
    sendBroadcast(intent); // full
  }

  static final class Numbers extends BroadcastReceiver {
    @Override
    public void onReceive(Context context, Intent intent) {
      int value = intent.getIntExtra("value", 1); // full thin
      int share = 100 / value; // full thin
      setResultCode(share);
    }
  }
}
