package dev.fewtaps.twin.inside;

import android.app.Application;
import android.content.BroadcastReceiver;
import android.content.ComponentName;
import android.content.Context;
import android.content.Intent;
import android.content.IntentFilter;
import android.content.pm.PackageParser;
import android.os.Bundle;
import java.util.LinkedHashMap;
import java.util.Map;

/** The receivers declared in the manifest: a fresh one is made for each broadcast. */
final class Receivers {
  private final Device device;
  private final Map<String, Declared> declared = new LinkedHashMap<>();

  Receivers(Device device) {
    this.device = device;
  }

  void install(Application application) {
    for (PackageParser.Activity receiver : device.manifest().receivers) {
      if (!receiver.info.enabled) {
        continue;
      }
      Declared proxy = new Declared(receiver.info.name);
      declared.put(receiver.info.name, proxy);
      for (IntentFilter filter : receiver.intents) {
        application.registerReceiver(proxy, filter);
      }
    }
  }

  /** Delivers a broadcast that names its receiver; returns whether the app has such a one. */
  boolean deliverExplicit(Intent intent) {
    ComponentName component = intent.getComponent();
    if (component == null || !component.getPackageName().equals(device.packageName())) {
      return component != null;
    }
    Declared receiver = declared.get(component.getClassName());
    if (receiver != null) {
      Intent copy = new Intent(intent);
      device
          .activities()
          .post(() -> receiver.make().onReceive(receiverContext(), copy));
    }
    return true;
  }

  private Context receiverContext() {
    return org.robolectric.RuntimeEnvironment.getApplication();
  }

  /** Stands for a receiver of the manifest until a broadcast comes for it. */
  private final class Declared extends BroadcastReceiver {
    private final String name;

    Declared(String name) {
      this.name = name;
    }

    BroadcastReceiver make() {
      try {
        return device.appFactory().instantiateReceiver(device.loader(), name, null);
      } catch (ReflectiveOperationException e) {
        throw new RuntimeException("Unable to instantiate receiver " + name + ": " + e, e);
      }
    }

    @Override
    public void onReceive(Context context, Intent intent) {
      BroadcastReceiver receiver = make();
      receiver.setPendingResult(getPendingResult());
      intent.setExtrasClassLoader(device.loader());
      receiver.onReceive(context, intent);
      Bundle extras = isOrderedBroadcast() ? receiver.getResultExtras(false) : null;
      if (isOrderedBroadcast()) {
        setResult(receiver.getResultCode(), receiver.getResultData(), extras);
      }
    }
  }
}
