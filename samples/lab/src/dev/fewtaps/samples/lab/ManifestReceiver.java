package dev.fewtaps.samples.lab;

import android.content.BroadcastReceiver;
import android.content.Context;
import android.content.Intent;

/** A receiver that only the manifest names; in an ordered broadcast it adds to the result. */
public final class ManifestReceiver extends BroadcastReceiver {
  static int received;

  @Override
  public void onReceive(Context context, Intent intent) {
    received++;
    if (isOrderedBroadcast()) {
      setResultData(getResultData() + " manifest");
    }
  }
}
