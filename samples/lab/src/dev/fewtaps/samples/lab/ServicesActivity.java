package dev.fewtaps.samples.lab;

import android.content.ComponentName;
import android.content.Context;
import android.content.Intent;
import android.content.ServiceConnection;
import android.os.Bundle;
import android.os.Handler;
import android.os.IBinder;
import android.os.Message;
import android.os.Messenger;
import android.os.RemoteException;
import android.os.ResultReceiver;

/** Started, bound, foreground and intent services. */
public final class ServicesActivity extends LabActivity {
  private final ServiceConnection local =
      new ServiceConnection() {
        @Override
        public void onServiceConnected(ComponentName name, IBinder binder) {
          service = ((BoundService.LocalBinder) binder).service();
          say("connected " + name.getShortClassName());
        }

        @Override
        public void onServiceDisconnected(ComponentName name) {
          service = null;
          say("disconnected");
        }
      };
  private final ServiceConnection remote =
      new ServiceConnection() {
        @Override
        public void onServiceConnected(ComponentName name, IBinder binder) {
          ask(new Messenger(binder));
        }

        @Override
        public void onServiceDisconnected(ComponentName name) {}
      };
  private BoundService service;
  private boolean bound;

  @Override
  protected void fill() {
    Intent started = new Intent(this, StartedService.class).putExtra("word", "hello");
    button("Start", () -> say("component " + startService(started).getShortClassName()));
    button("Stop", () -> say("stopped " + stopService(started)));
    button("Bind", () -> {
      bound = bindService(new Intent(this, BoundService.class), local, Context.BIND_AUTO_CREATE);
      say("bind " + bound);
    });
    button("Ask", () -> say(service == null ? "no service" : "answer " + service.next()));
    button("Unbind", this::unbind);
    button(
        "Messenger",
        () ->
            bindService(
                new Intent(this, BoundService.class).setAction(BoundService.ACTION_MESSENGER),
                remote,
                Context.BIND_AUTO_CREATE));
    button("Foreground", () -> startForegroundService(new Intent(this, ForegroundService.class)));
    button("Intent service", this::work);
    button("Absent service", () -> say("component " + startService(new Intent().setClassName(this, "absent.Service"))));
    button("Bind absent", () -> say("bind " + bindService(new Intent().setClassName(this, "absent.Service"), local, 0)));
    button("Calls", () -> say(StartedService.CALLS.text()));
  }

  private void unbind() {
    if (bound) {
      unbindService(local);
      bound = false;
      service = null;
      say("unbound");
    }
  }

  private void ask(Messenger messenger) {
    Message question = Message.obtain(null, 21);
    question.replyTo =
        new Messenger(
            new Handler(
                answer -> {
                  say("messenger says " + answer.what);
                  unbindService(remote);
                  return true;
                }));
    try {
      messenger.send(question);
    } catch (RemoteException error) {
      say("messenger died");
    }
  }

  private void work() {
    ResultReceiver receiver =
        new ResultReceiver(new Handler()) {
          @Override
          protected void onReceiveResult(int resultCode, Bundle resultData) {
            say("square " + resultCode);
          }
        };
    for (int number = 2; number <= 4; number++) {
      startService(
          new Intent(this, WorkService.class)
              .putExtra(WorkService.EXTRA_NUMBER, number)
              .putExtra(WorkService.EXTRA_RECEIVER, receiver));
    }
  }

  @Override
  protected void onDestroy() {
    unbind();
    super.onDestroy();
  }
}
