package dev.fewtaps.samples.vault;

import android.widget.Switch;

/** Step 3: two doors that must never be open at once. */
final class AirlockStage extends Stage {
  AirlockStage() {
    super(R.string.airlock, R.layout.airlock);
  }

  @Override
  void open(ProcedureActivity desk) {
    desk.<Switch>findViewById(R.id.outer).setOnCheckedChangeListener((door, open) -> watch(desk));
    desk.<Switch>findViewById(R.id.inner).setOnCheckedChangeListener((door, open) -> watch(desk));
    desk.findViewById(R.id.through).setOnClickListener(view -> goThrough(desk));
    desk.findViewById(R.id.call).setOnClickListener(view -> call(desk));
  }

  private static boolean isOpen(ProcedureActivity desk, int door) {
    return desk.<Switch>findViewById(door).isChecked();
  }

  private void watch(ProcedureActivity desk) {
    if (isOpen(desk, R.id.outer) && isOpen(desk, R.id.inner)) {
      desk.alarm(R.string.airlock_alarm);
    }
  }

  private void goThrough(ProcedureActivity desk) {
    if (isOpen(desk, R.id.inner)) {
      desk.passed();
    } else {
      desk.say(desk.getString(R.string.airlock_closed));
    }
  }

  private void call(ProcedureActivity desk) {
    // Defect 1: with both doors closed nobody hears the call.
    String door = whoHears(desk).toLowerCase();
    desk.say(desk.getString(R.string.heard, door));
  }

  private String whoHears(ProcedureActivity desk) {
    if (isOpen(desk, R.id.outer)) {
      return desk.getString(R.string.outer);
    }
    return isOpen(desk, R.id.inner) ? desk.getString(R.string.inner) : null;
  }
}
