package dev.fewtaps.samples.programs;

import android.view.View;
import java.lang.reflect.Method;

/** A method that is called by reflection gives its result to the call. */
// Played: open, go. In the slice: 2.
public final class ReflectionProgram extends Program {
  @Override
  public void go(View view) throws ReflectiveOperationException {
    Method method = ReflectionProgram.class.getDeclaredMethod("none"); // full
    int value = (Integer) method.invoke(this); // full thin
    shown = 100 / value; // full thin
  }

  int none() {
    return 0; // full thin
  }
}
