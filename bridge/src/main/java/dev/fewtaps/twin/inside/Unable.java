package dev.fewtaps.twin.inside;

import dev.fewtaps.twin.code.Messages;
import java.util.concurrent.Callable;

/**
 * Calls the app as a phone's own code does: what the app throws is passed on with a word on what
 * the system was about. Errors are not, here as there.
 */
final class Unable {
  /** A call of the app that returns nothing. */
  interface Call {
    void run() throws Exception;
  }

  private Unable() {}

  static void to(String purpose, Call call) {
    to(
        purpose,
        () -> {
          call.run();
          return null;
        });
  }

  static <T> T to(String purpose, Callable<T> call) {
    try {
      return call.call();
    } catch (Exception e) {
      String message = Messages.asOnAndroid(e);
      String what = e.getClass().getName() + (message == null ? "" : ": " + message);
      throw new RuntimeException("Unable to " + purpose + ": " + what, e);
    }
  }
}
