package dev.fewtaps.samples.lab;

import android.app.Application;

/** Remembers, for the life of the process, what must outlive an activity. */
public final class LabApplication extends Application {
  static final Journal LIFECYCLE = new Journal();
  static boolean created;
  static boolean providerFirst;

  @Override
  public void onCreate() {
    super.onCreate();
    created = true;
  }
}
