package dev.fewtaps.samples.vault;

/** Step 8: the aisle of the box. */
final class AisleStage extends ListStage {
  AisleStage() {
    super(R.string.aisle);
  }

  @Override
  String[] entries(ProcedureActivity desk) {
    return desk.getResources().getStringArray(R.array.aisles);
  }

  @Override
  void chosen(ProcedureActivity desk, String entry) {
    int hundred = entry.charAt(0) - 'A' + 1;
    if (hundred == Release.BOX / 100) {
      desk.passed();
    } else {
      desk.alarm(R.string.aisle_alarm);
    }
  }
}
