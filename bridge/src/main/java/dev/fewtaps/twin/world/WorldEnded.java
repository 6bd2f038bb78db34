package dev.fewtaps.twin.world;

/** Unwinds a thread of the app whose run is over. */
public final class WorldEnded extends Error {
  private static final long serialVersionUID = 1;

  WorldEnded() {
    super("this run of the app is over", null, false, false);
  }
}
