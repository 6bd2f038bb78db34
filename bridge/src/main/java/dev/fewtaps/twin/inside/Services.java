package dev.fewtaps.twin.inside;

import static org.robolectric.util.ReflectionHelpers.ClassParameter.from;

import android.app.ActivityManager;
import android.app.ActivityThread;
import android.app.Application;
import android.app.Service;
import android.content.ComponentName;
import android.content.Context;
import android.content.Intent;
import android.content.ServiceConnection;
import android.content.pm.PackageManager;
import android.content.pm.ResolveInfo;
import android.content.pm.ServiceInfo;
import android.os.Binder;
import android.os.IBinder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.shadow.api.Shadow;
import org.robolectric.shadows.ShadowService;
import org.robolectric.util.ReflectionHelpers;

/**
 * Started and bound services: made when first wanted, destroyed when they are neither started nor
 * bound any more.
 */
final class Services {
  private static final class Running {
    final String name;
    final Service service;
    boolean started;
    int startId;
    IBinder binder;
    boolean bound;
    Intent bindIntent;
    final List<ServiceConnection> connections = new ArrayList<>();

    Running(String name, Service service) {
      this.name = name;
      this.service = service;
    }
  }

  private final Device device;
  private final Map<String, Running> running = new LinkedHashMap<>();

  Services(Device device) {
    this.device = device;
  }

  /** Starts a service of the app; null if there is none for this intent, as on a phone. */
  ComponentName start(Intent intent) {
    ServiceInfo info = resolve(intent);
    if (info == null) {
      return null;
    }
    Intent copy = new Intent(intent);
    device
        .activities()
        .post(
            () -> {
              Running service = obtain(info);
              service.started = true;
              service.startId++;
              copy.setExtrasClassLoader(device.loader());
              Unable.to(
                  "start service " + service.name + " with " + copy,
                  () -> service.service.onStartCommand(copy, 0, service.startId));
            });
    return new ComponentName(info.packageName, info.name);
  }

  boolean stop(Intent intent) {
    ServiceInfo info = resolve(intent);
    Running service = info == null ? null : running.get(info.name);
    if (service == null || !service.started) {
      return false;
    }
    device
        .activities()
        .post(
            () -> {
              service.started = false;
              destroyIfUnwanted(service);
            });
    return true;
  }

  /** Binds to a service of the app; false if there is none for this intent. */
  boolean bind(Intent intent, ServiceConnection connection, boolean create) {
    requireConnection(connection);
    registered.add(connection);
    ServiceInfo info = resolve(intent);
    if (info == null) {
      return false;
    }
    Intent copy = new Intent(intent);
    copy.setExtrasClassLoader(device.loader());
    pending.add(connection);
    device.activities().post(() -> bindNow(info, copy, connection, create));
    return true;
  }

  private final List<ServiceConnection> pending = new ArrayList<>();

  /** The connections of calls to bind, also of those that met no service, until they are undone. */
  private final Set<ServiceConnection> registered =
      Collections.newSetFromMap(new IdentityHashMap<>());

  private void bindNow(
      ServiceInfo info, Intent intent, ServiceConnection connection, boolean create) {
    if (!pending.remove(connection)) {
      return; // Unbound before it came to be.
    }
    Running service = create ? obtain(info) : running.get(info.name);
    if (service == null) {
      return;
    }
    service.connections.add(connection);
    if (!service.bound) {
      service.bound = true;
      service.bindIntent = intent;
      service.binder =
          Unable.to(
              "bind to service " + service.name + " with " + intent,
              () -> service.service.onBind(intent));
    }
    ComponentName name = new ComponentName(info.packageName, info.name);
    if (service.binder != null) {
      IBinder binder = service.binder;
      device
          .activities()
          .post(
              () -> {
                if (service.connections.contains(connection)) {
                  connection.onServiceConnected(name, binder);
                }
              });
    } else {
      device.activities().post(() -> connection.onNullBinding(name));
    }
  }

  /**
   * Undoes all binding of a connection; throws what a phone throws when it was never bound, or not
   * since.
   */
  void unbind(ServiceConnection connection) {
    requireConnection(connection);
    if (!registered.remove(connection)) {
      throw new IllegalArgumentException(
          "Service not registered: " + connection.getClass().getName());
    }
    Set<ServiceConnection> it = Set.of(connection);
    pending.removeAll(it);
    for (Running service : new ArrayList<>(running.values())) {
      if (service.connections.removeAll(it)) {
        device
            .activities()
            .post(
                () -> {
                  if (service.connections.isEmpty() && service.bound) {
                    service.bound = false;
                    service.service.onUnbind(service.bindIntent);
                  }
                  destroyIfUnwanted(service);
                });
      }
    }
  }

  private static void requireConnection(ServiceConnection connection) {
    if (connection == null) {
      throw new IllegalArgumentException("connection is null");
    }
  }

  /** Destroys services that have stopped themselves; returns whether there was one. */
  boolean tidy() {
    boolean did = false;
    for (Running service : new ArrayList<>(running.values())) {
      ShadowService shadow = Shadow.extract(service.service);
      if (service.started && shadow.isStoppedBySelf()) {
        service.started = false;
        did = true;
        destroyIfUnwanted(service);
      }
    }
    return did;
  }

  private void destroyIfUnwanted(Running service) {
    if (!service.started && service.connections.isEmpty() && running.remove(service.name) != null) {
      if (service.bound) {
        service.bound = false;
        service.service.onUnbind(service.bindIntent);
      }
      Unable.to("stop service " + service.name, service.service::onDestroy);
      device.receivers().dropThoseOf(service.service);
    }
  }

  private Running obtain(ServiceInfo info) {
    Running service = running.get(info.name);
    if (service == null) {
      Service made = create(device, info.name);
      service = new Running(info.name, made);
      running.put(info.name, service);
      Unable.to("create service " + info.name, made::onCreate);
    }
    return service;
  }

  /** Makes and attaches a service; its onCreate is still to be called. */
  static Service create(Device device, String name) {
    Service service =
        Unable.to(
            "instantiate service " + name,
            () -> device.appFactory().instantiateService(device.loader(), name, null));
    Application application = RuntimeEnvironment.getApplication();
    ReflectionHelpers.callInstanceMethod(
        Service.class,
        service,
        "attach",
        from(Context.class, new ComponentContext(application.getBaseContext(), service)),
        from(ActivityThread.class, RuntimeEnvironment.getActivityThread()),
        from(String.class, name),
        from(IBinder.class, new Binder()),
        from(Application.class, application),
        from(Object.class, ActivityManager.getService()));
    return service;
  }

  private ServiceInfo resolve(Intent intent) {
    PackageManager packages = RuntimeEnvironment.getApplication().getPackageManager();
    ServiceInfo info = null;
    if (intent.getComponent() != null) {
      try {
        info = packages.getServiceInfo(intent.getComponent(), 0);
      } catch (PackageManager.NameNotFoundException e) {
        return null;
      }
    } else {
      ResolveInfo found = packages.resolveService(intent, 0);
      info = found == null ? null : found.serviceInfo;
    }
    return info != null && device.packageName().equals(info.packageName) ? info : null;
  }
}
