package dev.fewtaps.samples.vault;

import android.widget.CheckBox;

/** Step 11: two boxes to tick, and two to leave alone. */
final class SealStage extends Stage {
  SealStage() {
    super(R.string.seal, R.layout.seal);
  }

  @Override
  void open(ProcedureActivity desk) {
    desk.findViewById(R.id.confirm).setOnClickListener(view -> confirm(desk));
  }

  private static boolean ticked(ProcedureActivity desk, int box) {
    return desk.<CheckBox>findViewById(box).isChecked();
  }

  private void confirm(ProcedureActivity desk) {
    boolean whole = ticked(desk, R.id.seal_whole);
    boolean broken = ticked(desk, R.id.seal_broken);
    if (whole && broken) {
      desk.say(desk.getString(R.string.seal_both));
    } else if (whole && ticked(desk, R.id.witness) && !ticked(desk, R.id.camera)) {
      desk.passed();
    } else {
      desk.alarm(R.string.seal_alarm);
    }
  }
}
