package dev.fewtaps.twin.inside;

import android.content.BroadcastReceiver;
import android.content.Context;
import android.content.ContextWrapper;
import android.content.Intent;
import android.content.IntentFilter;
import android.os.Handler;
import java.util.function.Supplier;
import org.robolectric.util.ReflectionHelpers;

/**
 * The context below an activity or service, which here all share the application's: receivers that
 * are registered through it are the component's, get the component and go with it.
 */
final class ComponentContext extends ContextWrapper {
  private static final ThreadLocal<Context> registering = new ThreadLocal<>();

  private final Context component;

  ComponentContext(Context base, Context component) {
    super(base);
    this.component = component;
  }

  /** Puts one below a component that has its base already, and perhaps wrapped it. */
  static void giveTo(ContextWrapper component) {
    Context base = component.getBaseContext();
    ReflectionHelpers.setField(
        ContextWrapper.class, component, "mBase", new ComponentContext(base, component));
  }

  /** The component on whose behalf a receiver is being registered on this thread, or null. */
  static Context registering() {
    return registering.get();
  }

  private Intent inItsName(Supplier<Intent> registration) {
    Context before = registering.get();
    registering.set(component);
    try {
      return registration.get();
    } finally {
      if (before == null) {
        registering.remove();
      } else {
        registering.set(before);
      }
    }
  }

  @Override
  public Intent registerReceiver(BroadcastReceiver receiver, IntentFilter filter) {
    return inItsName(() -> super.registerReceiver(receiver, filter));
  }

  @Override
  public Intent registerReceiver(BroadcastReceiver receiver, IntentFilter filter, int flags) {
    return inItsName(() -> super.registerReceiver(receiver, filter, flags));
  }

  @Override
  public Intent registerReceiver(
      BroadcastReceiver receiver, IntentFilter filter, String permission, Handler scheduler) {
    return inItsName(() -> super.registerReceiver(receiver, filter, permission, scheduler));
  }

  @Override
  public Intent registerReceiver(
      BroadcastReceiver receiver,
      IntentFilter filter,
      String permission,
      Handler scheduler,
      int flags) {
    return inItsName(() -> super.registerReceiver(receiver, filter, permission, scheduler, flags));
  }
}
