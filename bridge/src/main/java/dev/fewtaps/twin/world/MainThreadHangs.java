package dev.fewtaps.twin.world;

/** Unwinds the main thread when it no longer answers: the app's ANR. */
public final class MainThreadHangs extends Error {
  private static final long serialVersionUID = 1;

  MainThreadHangs(String reason) {
    super(reason);
  }
}
