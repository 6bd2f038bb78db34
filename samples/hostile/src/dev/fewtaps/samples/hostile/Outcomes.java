package dev.fewtaps.samples.hostile;

import android.util.Log;
import java.util.ArrayList;
import java.util.List;

/** What became of each attempt: a line that starts with "blocked:" or "ALLOWED:". */
final class Outcomes {
  private static final String TAG = "hostile";

  private final List<String> lines = new ArrayList<>();

  /** An attempt; returns what it got, or throws if it was stopped. */
  interface Attempt {
    String run() throws Exception;
  }

  /** Makes the attempt, and notes how it ended. Errors count as blocked: a missing class stops an attack too. */
  void attempt(String what, Attempt attempt) {
    String line;
    try {
      line = "ALLOWED: " + what + " (" + attempt.run() + ")";
    } catch (Exception | LinkageError error) {
      line = "blocked: " + what + " (" + error.getClass().getSimpleName() + ")";
    }
    add(line);
  }

  private synchronized void add(String line) {
    Log.w(TAG, line);
    lines.add(line);
  }

  synchronized String text() {
    StringBuilder text = new StringBuilder();
    for (String line : lines) {
      text.append(line).append('\n');
    }
    return text.toString();
  }
}
