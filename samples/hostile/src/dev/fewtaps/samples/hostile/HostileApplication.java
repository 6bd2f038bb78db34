package dev.fewtaps.samples.hostile;

import android.app.Application;

/** Attacks before the first screen is there. */
public final class HostileApplication extends Application {
  static final Outcomes AT_START = new Outcomes();

  @Override
  public void onCreate() {
    super.onCreate();
    FileAttacks.readHome(AT_START);
    FileAttacks.writeOutside(AT_START);
    ProcessAttacks.environment(AT_START);
  }
}
