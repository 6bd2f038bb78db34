package dev.fewtaps.twin.inside;

import android.os.SystemClock;
import android.widget.Toast;
import java.util.ArrayList;
import java.util.List;

/** The short messages shown at the bottom of the screen, for as long as a phone shows them. */
final class Toasts {
  private static final long SHORT_MILLIS = 2000;
  private static final long LONG_MILLIS = 3500;

  /** A message and the virtual time at which it goes away. */
  static final class Shown {
    final Toast toast;
    final String text;
    final long until;

    Shown(Toast toast, String text, long until) {
      this.toast = toast;
      this.text = text;
      this.until = until;
    }
  }

  private final List<Shown> queue = new ArrayList<>();

  /** Queues a message: one is shown after the other, as on a phone. */
  synchronized void show(Toast toast, String text, int duration) {
    long now = SystemClock.uptimeMillis();
    long start = queue.isEmpty() ? now : Math.max(now, queue.get(queue.size() - 1).until);
    queue.add(
        new Shown(
            toast, text, start + (duration == Toast.LENGTH_LONG ? LONG_MILLIS : SHORT_MILLIS)));
  }

  /** Takes a message away, shown or not yet shown. */
  synchronized void cancel(Toast toast) {
    queue.removeIf(shown -> shown.toast == toast);
  }

  /** The message on screen now: none or one. */
  synchronized List<Shown> visible() {
    long now = SystemClock.uptimeMillis();
    queue.removeIf(shown -> shown.until <= now);
    return queue.isEmpty() ? List.of() : List.of(queue.get(0));
  }
}
