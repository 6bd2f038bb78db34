package dev.fewtaps.samples.programs;

import android.os.Handler;
import android.view.View;

/** A suspending function as Kotlin compiles it: what follows the wait is a state of one method. */
// Played: open, go, wait. In the slice: 2 3.
public final class ContinuationProgram extends Program {
  static final Object SUSPENDED = new Object(); // out

  @Override
  public void go(View view) {
    new Divide().invokeSuspend(null); // full
  }

  static Object fetch(Divide waiting) {
    Object other = 4; // out
    new Handler().postDelayed(new Resumption(waiting, 0), 5000); // full thin
    return SUSPENDED; // out
  }

  /** Goes on with a coroutine, with the result that it waits for. */
  static final class Resumption implements Runnable {
    private final Divide waiting;
    private final Object result;

    Resumption(Divide waiting, Object result) {
      this.waiting = waiting; // full
      this.result = result; // full thin
    }

    @Override
    public void run() {
      waiting.invokeSuspend(result); // full thin
    }
  }

  /** The body of the coroutine: state 0 is before the wait, state 1 after it. */
  static final class Divide {
    private int label;

    Object invokeSuspend(Object result) {
      switch (label) { // full
        case 0:
          label = 1; // full
          result = fetch(this); // full
          if (result == SUSPENDED) { // out
            return SUSPENDED; // out
          }
          break;
        case 1:
          break;
        default:
          throw new IllegalStateException("resumed before it was invoked");
      }
      return 100 / (Integer) result; // full thin
    }
  }
}
