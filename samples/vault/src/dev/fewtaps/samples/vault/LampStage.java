package dev.fewtaps.samples.vault;

/** Step 4: one of five colours. */
final class LampStage extends Stage {
  LampStage() {
    super(R.string.lamp, R.layout.lamp);
  }

  @Override
  void open(ProcedureActivity desk) {
    forbid(desk, R.string.lamp_alarm, R.id.red, R.id.green, R.id.blue, R.id.white);
    desk.findViewById(R.id.amber).setOnClickListener(view -> desk.passed());
  }
}
