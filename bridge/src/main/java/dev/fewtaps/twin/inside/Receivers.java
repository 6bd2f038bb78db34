package dev.fewtaps.twin.inside;

import android.app.Application;
import android.app.IActivityManager;
import android.content.BroadcastReceiver;
import android.content.ComponentName;
import android.content.Context;
import android.content.Intent;
import android.content.IntentFilter;
import android.content.pm.PackageManager;
import android.content.pm.PackageParser;
import android.os.Bundle;
import android.os.Handler;
import android.os.Looper;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.util.ReflectionHelpers;

/**
 * Broadcasts: to the receivers that the app has registered and to those of its manifest, of which a
 * fresh one is made each time.
 */
final class Receivers {
  /** A receiver of broadcasts: a registered one, or the name of one in the manifest. */
  private static final class Target {
    final BroadcastReceiver receiver;
    final String name;
    final IntentFilter filter;
    final Context context;
    final Handler handler;

    Target(
        BroadcastReceiver receiver,
        String name,
        IntentFilter filter,
        Context context,
        Handler handler) {
      this.receiver = receiver;
      this.name = name;
      this.filter = filter;
      this.context = context;
      this.handler = handler;
    }

    int priority() {
      return filter == null ? 0 : filter.getPriority();
    }
  }

  /**
   * The outcome of a broadcast on its way from receiver to receiver; says when one is done with it.
   */
  private static final class Result extends BroadcastReceiver.PendingResult {
    private final Consumer<Result> then;
    private boolean finished;

    Result(
        int code,
        String data,
        Bundle extras,
        boolean ordered,
        boolean sticky,
        Consumer<Result> then) {
      super(code, data, extras, TYPE_REGISTERED, ordered, sticky, null, 0, 0);
      this.then = then;
    }

    @Override
    public void sendFinished(IActivityManager ignored) {
      synchronized (this) {
        if (finished) {
          throw new IllegalStateException("Broadcast already finished");
        }
        finished = true;
      }
      then.accept(this);
    }
  }

  private final Device device;
  private final List<Target> declared = new ArrayList<>();
  private final List<Target> registered = new ArrayList<>();
  private final List<Intent> sticky = new ArrayList<>();

  Receivers(Device device) {
    this.device = device;
  }

  /** Reads the receivers of the manifest. */
  void install(Application application) {
    Context context =
        ReflectionHelpers.callInstanceMethod(
            application.getBaseContext(), "getReceiverRestrictedContext");
    for (PackageParser.Activity receiver : device.manifest().receivers) {
      if (!receiver.info.enabled) {
        continue;
      }
      declared.add(new Target(null, receiver.info.name, null, context, null));
      for (IntentFilter filter : receiver.intents) {
        declared.add(new Target(null, receiver.info.name, filter, context, null));
      }
    }
  }

  /**
   * Registers a receiver (or none, only to ask) and returns the sticky broadcast there is for it.
   */
  synchronized Intent register(
      Context context, BroadcastReceiver receiver, IntentFilter filter, Handler handler) {
    Target target = new Target(receiver, null, filter, context, handler);
    Intent first = null;
    for (Intent intent : sticky) {
      if (matches(filter, intent)) {
        first = first == null ? intent : first;
        if (receiver != null) {
          handlerOf(target)
              .post(
                  () ->
                      receive(target, intent, new Result(0, null, null, false, true, done -> {})));
        }
      }
    }
    if (receiver != null) {
      registered.add(target);
    }
    return first == null ? null : new Intent(first);
  }

  /** Forgets a receiver; throws what a phone throws when it was never registered. */
  synchronized void unregister(BroadcastReceiver receiver) {
    if (!registered.removeIf(target -> target.receiver == receiver)) {
      throw new IllegalArgumentException(
          "Receiver not registered: " + (receiver == null ? null : receiver.getClass().getName()));
    }
  }

  /**
   * Forgets what a destroyed context has left registered; a phone does so and complains of a leak.
   */
  synchronized void dropThoseOf(Context context) {
    registered.removeIf(target -> target.context == context);
  }

  /** The actions for which code of the app, as against the framework's own, has registered. */
  synchronized SortedSet<String> actions() {
    SortedSet<String> actions = new TreeSet<>();
    for (Target target : registered) {
      if (target.receiver.getClass().getClassLoader() != BroadcastReceiver.class.getClassLoader()) {
        for (int i = 0; i < target.filter.countActions(); i++) {
          actions.add(target.filter.getAction(i));
        }
      }
    }
    return actions;
  }

  /** Sends a broadcast to all receivers at once, in no promised order. */
  void send(Intent intent, String permission, int code) {
    for (Target target : targets(intent, permission)) {
      handlerOf(target)
          .post(
              () ->
                  receive(target, intent, new Result(code, null, null, false, false, done -> {})));
    }
  }

  /** Sends a broadcast that stays: receivers registered later get it too. */
  synchronized void sendSticky(Intent intent) {
    removeSticky(intent);
    sticky.add(new Intent(intent));
    send(intent, null, 0);
  }

  synchronized void removeSticky(Intent intent) {
    sticky.removeIf(kept -> kept.filterEquals(intent));
  }

  /** Sends a broadcast to one after the other; the last one gets the result, aborted or not. */
  void sendOrdered(
      Intent intent,
      String permission,
      BroadcastReceiver last,
      Handler lastHandler,
      int code,
      String data,
      Bundle extras) {
    List<Target> targets = targets(intent, permission);
    targets.sort(Comparator.comparingInt(Target::priority).reversed());
    Target end =
        last == null
            ? null
            : new Target(last, null, null, RuntimeEnvironment.getApplication(), lastHandler);
    next(targets.iterator(), end, intent, new Result(code, data, extras, true, false, done -> {}));
  }

  private void next(Iterator<Target> rest, Target end, Intent intent, Result before) {
    boolean more = rest.hasNext() && !before.getAbortBroadcast();
    Target target = more ? rest.next() : end;
    if (target == null) {
      return;
    }
    Result result =
        new Result(
            before.getResultCode(),
            before.getResultData(),
            before.getResultExtras(false),
            true,
            false,
            more ? done -> next(rest, end, intent, done) : done -> {});
    handlerOf(target).post(() -> receive(target, intent, result));
  }

  private void receive(Target target, Intent intent, Result result) {
    Intent copy = new Intent(intent);
    copy.setExtrasClassLoader(device.loader());
    BroadcastReceiver receiver = target.receiver == null ? make(target.name) : target.receiver;
    try {
      receiver.setPendingResult(result);
      receiver.onReceive(target.context, copy);
    } catch (Exception e) {
      throw new RuntimeException(
          target.receiver == null
              ? "Unable to start receiver " + target.name + ": " + e
              : "Error receiving broadcast " + copy + " in " + receiver.getClass().getName(),
          e);
    }
    if (receiver.getPendingResult() != null) {
      result.finish();
    }
  }

  private BroadcastReceiver make(String name) {
    return Unable.to(
        "instantiate receiver " + name,
        () -> device.appFactory().instantiateReceiver(device.loader(), name, null));
  }

  private synchronized List<Target> targets(Intent intent, String permission) {
    List<Target> found = new ArrayList<>();
    ComponentName component = intent.getComponent();
    String destination = component != null ? component.getPackageName() : intent.getPackage();
    if ((destination != null && !destination.equals(device.packageName())) || !holds(permission)) {
      return found;
    }
    for (Target target : declared) {
      boolean wanted =
          component == null
              ? target.filter != null && matches(target.filter, intent)
              : target.filter == null && target.name.equals(component.getClassName());
      if (wanted) {
        found.add(target);
      }
    }
    for (Target target : registered) {
      if (component == null && matches(target.filter, intent)) {
        found.add(target);
      }
    }
    return found;
  }

  private static boolean holds(String permission) {
    return permission == null
        || RuntimeEnvironment.getApplication().checkSelfPermission(permission)
            == PackageManager.PERMISSION_GRANTED;
  }

  private static boolean matches(IntentFilter filter, Intent intent) {
    return filter.match(
            intent.getAction(),
            intent.getType(),
            intent.getScheme(),
            intent.getData(),
            intent.getCategories(),
            "Receivers")
        >= 0;
  }

  private static Handler handlerOf(Target target) {
    return target.handler != null ? target.handler : new Handler(Looper.getMainLooper());
  }
}
