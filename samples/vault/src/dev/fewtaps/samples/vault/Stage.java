package dev.fewtaps.samples.vault;

import android.view.View;

/** One step of the procedure. It ends with {@code desk.passed()} or with {@code desk.alarm(…)}. */
abstract class Stage {
  final int instruction;
  final int layout;

  Stage(int instruction, int layout) {
    this.instruction = instruction;
    this.layout = layout;
  }

  /** Prepares the views of this step. */
  abstract void open(ProcedureActivity desk);

  /** Lets a tap on each of these views set off the alarm. */
  static void forbid(ProcedureActivity desk, int reason, int... ids) {
    for (int id : ids) {
      desk.<View>findViewById(id).setOnClickListener(view -> desk.alarm(reason));
    }
  }
}
