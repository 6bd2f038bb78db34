package dev.fewtaps.twin.world;

import java.util.Arrays;

/**
 * The tasks that a thread is at, one within the other, for the recording: most tasks run no code of
 * the app, and nothing is told of them.
 */
final class Tasks {
  /** The token of what is not known to be due to anything yet. */
  static final int UNKNOWN = -1;

  private static final int RUN = 1;
  private static final int TOLD = 2;

  private int[] tokens = new int[4];
  private byte[] states = new byte[4];
  private int depth;
  private int settled = 1;

  /** Makes the tasks of a thread that was started with a token, or of the main thread. */
  Tasks(int token) {
    tokens[0] = token;
    settled = token == UNKNOWN ? 1 : 0;
  }

  /** Forgets all: the main thread begins with an event. */
  void reset() {
    depth = 0;
    tokens[0] = UNKNOWN;
    states[0] = 0;
    settled = 1;
  }

  void begin(int token) {
    depth++;
    if (depth == tokens.length) {
      tokens = Arrays.copyOf(tokens, 2 * depth);
      states = Arrays.copyOf(states, 2 * depth);
    }
    tokens[depth] = token;
    states[depth] = 0;
  }

  /** Ends the innermost task; says whether its beginning was told. */
  boolean end() {
    if (depth == 0) {
      return false;
    }
    boolean told = (states[depth] & TOLD) != 0;
    depth--;
    settled = Math.min(settled, depth + 1);
    return told;
  }

  /** The token of the innermost task. */
  int token() {
    return tokens[depth];
  }

  void setToken(int token) {
    tokens[depth] = token;
  }

  /** Whether code of the app has run in the innermost task. */
  boolean hasRun() {
    return (states[depth] & RUN) != 0;
  }

  /** Says that code of the app runs. */
  void run() {
    states[depth] |= RUN;
  }

  /** The token of the outermost task of which nothing is told yet, -1 if there is none. */
  int next(boolean silently) {
    if (settled > depth) {
      return -1;
    }
    states[settled] |= silently ? 0 : TOLD;
    return tokens[settled++];
  }
}
