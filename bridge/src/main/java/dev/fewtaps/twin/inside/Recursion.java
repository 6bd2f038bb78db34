package dev.fewtaps.twin.inside;

import dev.fewtaps.twin.world.Causes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;

/**
 * Tells a stack overflow the same way each time: where in its circle the recursion hit the end of
 * the stack depends on the machine, so that the circle itself is shown, from a fixed point of it.
 */
final class Recursion {
  /** Longer circles than this are not looked for. */
  private static final int LONGEST = 100;

  /** Frames beyond those that only the last turn has. */
  private static final int SETTLED = 200;

  private static final int SHOWN = 32;

  private Recursion() {}

  /** Gives every stack overflow in a chain of causes its fixed form. */
  static void settle(Throwable error) {
    for (Throwable e : Causes.of(error)) {
      // A subclass of the app's may answer with no stack at all.
      if (e.getClass() == StackOverflowError.class) {
        e.setStackTrace(settled(e.getStackTrace()));
      }
    }
  }

  static StackTraceElement[] settled(StackTraceElement[] frames) {
    for (int length = 1; length <= LONGEST && SETTLED + 3 * length <= frames.length; length++) {
      if (repeats(frames, length)) {
        return circle(frames, length);
      }
    }
    return frames;
  }

  private static boolean repeats(StackTraceElement[] frames, int length) {
    for (int i = SETTLED; i < SETTLED + 2 * length; i++) {
      if (!frames[i].equals(frames[i + length])) {
        return false;
      }
    }
    return true;
  }

  private static StackTraceElement[] circle(StackTraceElement[] frames, int length) {
    List<StackTraceElement> turn =
        new ArrayList<>(Arrays.asList(frames).subList(SETTLED, SETTLED + length));
    StackTraceElement first =
        turn.stream().min(Comparator.comparing(String::valueOf)).orElseThrow();
    Collections.rotate(turn, -turn.indexOf(first));
    List<StackTraceElement> shown = new ArrayList<>();
    do {
      shown.addAll(turn);
    } while (shown.size() + length <= SHOWN);
    return shown.toArray(new StackTraceElement[0]);
  }
}
