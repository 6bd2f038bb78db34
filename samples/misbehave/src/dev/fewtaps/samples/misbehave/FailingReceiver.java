package dev.fewtaps.samples.misbehave;

import android.content.BroadcastReceiver;
import android.content.Context;
import android.content.Intent;

/** Dies when it receives. */
public final class FailingReceiver extends BroadcastReceiver {
  @Override
  public void onReceive(Context context, Intent intent) {
    throw new IllegalArgumentException("the receiver gives up");
  }
}
