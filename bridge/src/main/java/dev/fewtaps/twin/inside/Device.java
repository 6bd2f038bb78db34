package dev.fewtaps.twin.inside;

import android.app.AppComponentFactory;
import android.app.Application;
import android.content.pm.ApplicationInfo;
import android.content.pm.PackageParser;
import org.robolectric.shadows.TwinSystemBars;
import org.robolectric.util.ReflectionHelpers;

/** One process of one app: the state of a phone from its start to its end. */
final class Device {
  private static final String INSTANT_RUN_APPLICATION =
      "com.android.tools.fd.runtime.BootstrapApplication";
  private static final String INSTANT_RUN_INFO = "com.android.tools.fd.runtime.AppInfo";

  private static volatile Device current;

  private Settings settings;
  private final ClassLoader loader;
  private final PhoneState before;
  private final Activities activities = new Activities(this);
  private final Services services = new Services(this);
  private final Receivers receivers = new Receivers(this);
  private final Jobs jobs = new Jobs(this);
  private final Windows windows = new Windows(this);
  private final Notes notes = new Notes();
  private final Toasts toasts = new Toasts();
  private final FileObservers fileObservers = new FileObservers();
  private final Walk walk = new Walk();
  private final PhoneContent content;
  private PackageParser.Package manifest;
  private final SpecialAccess access;
  private AppComponentFactory appFactory;

  /** Begins a run; with a state, one that follows a process of the app on the same phone. */
  Device(Settings settings, ClassLoader loader, PhoneState before) {
    this.settings = settings;
    this.loader = loader;
    this.before = before;
    this.manifest = settings.manifest();
    this.content = new PhoneContent(settings);
    this.access = new SpecialAccess(this);
  }

  /** The device the framework's callbacks belong to; they all come on its main thread. */
  static Device current() {
    return current;
  }

  static void makeCurrent(Device device) {
    current = device;
  }

  Settings settings() {
    return settings;
  }

  /** Gives a setting of the phone another value from now on. */
  void set(String name, String value) {
    settings = settings.with(name, value);
  }

  /** What the user allows the app in the settings of the phone. */
  SpecialAccess access() {
    return access;
  }

  ClassLoader loader() {
    return loader;
  }

  Activities activities() {
    return activities;
  }

  Services services() {
    return services;
  }

  Receivers receivers() {
    return receivers;
  }

  Jobs jobs() {
    return jobs;
  }

  Windows windows() {
    return windows;
  }

  Toasts toasts() {
    return toasts;
  }

  FileObservers fileObservers() {
    return fileObservers;
  }

  /** Where the phone is carried. */
  Walk walk() {
    return walk;
  }

  PhoneContent content() {
    return content;
  }

  Notes notes() {
    return notes;
  }

  PackageParser.Package manifest() {
    return manifest;
  }

  String packageName() {
    return manifest.packageName;
  }

  /** The application class named in the app's manifest, or the framework's own. */
  String applicationClassName() {
    String name = manifest.applicationInfo.className;
    if (INSTANT_RUN_APPLICATION.equals(name)) {
      name = instantRunClass();
    }
    return name == null ? Application.class.getName() : name;
  }

  /**
   * The app's own class behind that of Android Studio 2, which would only load code that is loaded
   * already.
   */
  private String instantRunClass() {
    try {
      return ReflectionHelpers.getStaticField(
          loader.loadClass(INSTANT_RUN_INFO), "applicationClass");
    } catch (ClassNotFoundException e) {
      return INSTANT_RUN_APPLICATION;
    }
  }

  /** The app's own component factory (AndroidX has one), or the framework's. */
  AppComponentFactory appFactory() {
    if (appFactory == null) {
      appFactory = makeAppFactory(manifest.applicationInfo);
    }
    return appFactory;
  }

  private AppComponentFactory makeAppFactory(ApplicationInfo info) {
    String name = info.appComponentFactory;
    if (name == null) {
      return new AppComponentFactory();
    }
    try {
      String full = name.startsWith(".") ? info.packageName + name : name;
      return (AppComponentFactory) loader.loadClass(full).getDeclaredConstructor().newInstance();
    } catch (ReflectiveOperationException | ClassCastException e) {
      // As on a phone, where a factory that cannot be made is logged and the default one used.
      return new AppComponentFactory();
    }
  }

  /** Called when the application has its context, before its {@code onCreate}. */
  void onApplicationAttached(Application application) {
    ApplicationInfo info = application.getApplicationInfo();
    info.className = manifest.applicationInfo.className;
    Orientation.fitScreen(this);
    TwinSystemBars.askWhetherFullScreen(windows::isFullScreen);
    PhoneIdentity.describeServices(settings, application);
    Permissions.apply(this, application);
    access.install(application);
    if (before != null) {
      before.giveTo(this, application);
    }
    content.install(application);
    Neighbours.install(this, application);
    Providers.install(this, application);
    receivers.install(application);
  }
}
