package dev.fewtaps.twin.code;

/**
 * Writes translated classes to disk a moment after the last one came, so that a kill loses little.
 */
final class CacheWriter {
  private static final long QUIET_MS = 1_000;
  private static final int MANY = 2_000;

  private final ClassStore store;
  private long lastPoke;
  private Thread thread;
  private boolean stopped;

  CacheWriter(ClassStore store) {
    this.store = store;
  }

  /** Tells that there is something new. */
  synchronized void poke() {
    lastPoke = System.nanoTime();
    if (thread == null && !stopped) {
      thread = new Thread(this::run, "fewtaps class cache");
      thread.setDaemon(true);
      thread.start();
    }
  }

  /** Ends the thread; nothing is written after this. */
  synchronized void stop() {
    stopped = true;
    notifyAll();
  }

  private void run() {
    while (waitForQuiet()) {
      store.flush();
    }
  }

  /** Waits until there is a batch to write; false when it is time to end. */
  private synchronized boolean waitForQuiet() {
    while (!stopped) {
      long quiet = (System.nanoTime() - lastPoke) / 1_000_000;
      int pending = store.pendingCount();
      if (pending > 0 && (quiet >= QUIET_MS || pending >= MANY)) {
        return true;
      }
      if (pending == 0) {
        thread = null;
        return false;
      }
      try {
        wait(QUIET_MS);
      } catch (InterruptedException e) {
        return false;
      }
    }
    return false;
  }
}
