package dev.fewtaps.samples.timer;

import android.os.Handler;
import android.os.Looper;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Tells when a second is over, again and again. Each second is announced by a thread of its own, so as not to hold up
 * the screen, and the next begins when this one was announced: how late that is, nobody knows.
 */
final class Ticker {
  private static final long SECOND = 1000;

  private final Handler main = new Handler(Looper.getMainLooper());
  private final ExecutorService voice = Executors.newSingleThreadExecutor();
  private final Runnable listener;

  Ticker(Runnable listener) {
    this.listener = listener;
    main.postDelayed(this::announce, SECOND);
  }

  private void announce() {
    if (!voice.isShutdown()) {
      voice.execute(() -> main.post(this::announced));
    }
  }

  private void announced() {
    if (!voice.isShutdown()) {
      main.postDelayed(this::announce, SECOND);
      listener.run();
    }
  }

  void stop() {
    voice.shutdown();
  }
}
