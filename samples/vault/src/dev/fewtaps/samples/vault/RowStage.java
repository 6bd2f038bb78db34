package dev.fewtaps.samples.vault;

/** Step 9: the row of the box. */
final class RowStage extends ListStage {
  RowStage() {
    super(R.string.row);
  }

  @Override
  String[] entries(ProcedureActivity desk) {
    return desk.getResources().getStringArray(R.array.rows);
  }

  @Override
  void chosen(ProcedureActivity desk, String entry) {
    int first = firstOf(entry);
    if (first <= Release.BOX && Release.BOX < first + 10) {
      desk.passed();
    } else {
      desk.alarm(R.string.row_alarm);
    }
  }

  private static int firstOf(String row) {
    // Defect 4: boxes of unusual size are in a row without numbers.
    return Integer.parseInt(row.substring(0, row.indexOf('–')));
  }
}
