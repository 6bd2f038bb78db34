package dev.fewtaps.twin;

import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/**
 * Calls for help when a request is not answered within its deadline of real time, or earlier when
 * there is no hope left.
 */
final class Watchdog implements AutoCloseable {
  private final AtomicBoolean settled = new AtomicBoolean();
  private final Thread thread;

  private static final int LOOK_MILLIS = 500;
  private static final int HOPELESS_LOOKS = 6;

  Watchdog(long seconds, BooleanSupplier hopeless, Callable<Void> onExpiry) {
    thread =
        new Thread(
            () -> {
              try {
                long looks = seconds * 1000 / LOOK_MILLIS;
                // Several looks in a row: the first may come while the answer is being written.
                for (int lost = 0; looks > 0 && lost < HOPELESS_LOOKS; looks--) {
                  Thread.sleep(LOOK_MILLIS);
                  lost = hopeless.getAsBoolean() ? lost + 1 : 0;
                }
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
