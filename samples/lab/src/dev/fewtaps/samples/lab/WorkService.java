package dev.fewtaps.samples.lab;

import android.app.IntentService;
import android.content.Intent;
import android.os.Bundle;
import android.os.Looper;
import android.os.ResultReceiver;

/** An intent service: handles its intents one after the other, off the main thread. */
public final class WorkService extends IntentService {
  static final String EXTRA_NUMBER = "number";
  static final String EXTRA_RECEIVER = "receiver";

  public WorkService() {
    super("work");
  }

  @Override
  protected void onHandleIntent(Intent intent) {
    int number = intent.getIntExtra(EXTRA_NUMBER, 0);
    boolean main = Looper.myLooper() == Looper.getMainLooper();
    StartedService.CALLS.add("work: " + number + (main ? " on main" : " off main"));
    ResultReceiver receiver = intent.getParcelableExtra(EXTRA_RECEIVER);
    receiver.send(number * number, Bundle.EMPTY);
  }

  @Override
  public void onDestroy() {
    StartedService.CALLS.add("work: destroy");
    super.onDestroy();
  }
}
