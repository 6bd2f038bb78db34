package dev.fewtaps.samples.lab;

import android.app.Service;
import android.content.Intent;
import android.os.Binder;
import android.os.Handler;
import android.os.IBinder;
import android.os.Message;
import android.os.Messenger;
import android.os.RemoteException;

/** A bound service: a local binder by default, a messenger if the intent asks for one. */
public final class BoundService extends Service {
  static final String ACTION_MESSENGER = "dev.fewtaps.samples.lab.MESSENGER";

  private final Messenger messenger = new Messenger(new Handler(this::answer));
  private int asked;

  /** Gives clients of this process the service itself. */
  final class LocalBinder extends Binder {
    BoundService service() {
      return BoundService.this;
    }
  }

  int next() {
    return ++asked;
  }

  private boolean answer(Message question) {
    try {
      question.replyTo.send(Message.obtain(null, question.what * 2));
    } catch (RemoteException error) {
      throw new IllegalStateException(error);
    }
    return true;
  }

  @Override
  public IBinder onBind(Intent intent) {
    StartedService.CALLS.add("bound: bind");
    return ACTION_MESSENGER.equals(intent.getAction()) ? messenger.getBinder() : new LocalBinder();
  }

  @Override
  public boolean onUnbind(Intent intent) {
    StartedService.CALLS.add("bound: unbind");
    return super.onUnbind(intent);
  }

  @Override
  public void onDestroy() {
    StartedService.CALLS.add("bound: destroy");
    super.onDestroy();
  }
}
