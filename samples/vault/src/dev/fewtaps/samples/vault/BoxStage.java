package dev.fewtaps.samples.vault;

/** Step 10: the box itself. */
final class BoxStage extends ListStage {
  private static final int BOXES = 10;

  BoxStage() {
    super(R.string.box);
  }

  @Override
  String[] entries(ProcedureActivity desk) {
    String[] boxes = new String[BOXES];
    int first = Release.BOX / BOXES * BOXES;
    for (int i = 0; i < BOXES; i++) {
      boxes[i] = desk.getString(R.string.box_name, first + i);
    }
    return boxes;
  }

  @Override
  void chosen(ProcedureActivity desk, String entry) {
    if (entry.equals(desk.getString(R.string.box_name, Release.BOX))) {
      desk.passed();
    } else {
      desk.alarm(R.string.box_alarm);
    }
  }
}
