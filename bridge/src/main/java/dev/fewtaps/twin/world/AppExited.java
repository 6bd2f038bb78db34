package dev.fewtaps.twin.world;

/** Unwinds a thread that asked for the end of its process. */
public final class AppExited extends Error {
  private static final long serialVersionUID = 1;

  /** The exit status that the app gave. */
  public final int status;

  AppExited(int status) {
    super("the app ended its process with status " + status);
    this.status = status;
  }
}
