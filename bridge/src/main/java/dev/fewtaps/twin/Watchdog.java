package dev.fewtaps.twin;

import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;

/** Calls for help when a request is not answered within its deadline of real time. */
final class Watchdog implements AutoCloseable {
  private final AtomicBoolean settled = new AtomicBoolean();
  private final Thread thread;

  Watchdog(long seconds, Callable<Void> onExpiry) {
    thread =
        new Thread(
            () -> {
              try {
                Thread.sleep(seconds * 1000);
                if (settled.compareAndSet(false, true)) {
                  onExpiry.call();
                }
              } catch (InterruptedException done) {
                // The answer came in time.
              } catch (Exception e) {
                e.printStackTrace();
                Runtime.getRuntime().halt(4);
              }
            },
            "fewtaps-watchdog");
    thread.setDaemon(true);
    thread.start();
  }

  /** Returns true if the answer came before the deadline: from then on nothing will happen. */
  boolean disarm() {
    boolean mine = settled.compareAndSet(false, true);
    thread.interrupt();
    return mine;
  }

  @Override
  public void close() {
    settled.set(true);
    thread.interrupt();
  }
}
