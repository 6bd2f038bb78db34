package dev.fewtaps.samples.vault;

import android.widget.TextView;

/** Step 7: a dial that is turned mark by mark. */
final class DialStage extends Stage {
  private static final int RIGHT = 3;

  private String[] marks;
  private int mark;

  DialStage() {
    super(R.string.dial, R.layout.dial);
  }

  @Override
  void open(ProcedureActivity desk) {
    marks = desk.getResources().getStringArray(R.array.marks);
    desk.findViewById(R.id.less).setOnClickListener(view -> turnTo(desk, mark - 1));
    desk.findViewById(R.id.more).setOnClickListener(view -> turnTo(desk, (mark + 1) % marks.length));
    desk.findViewById(R.id.set).setOnClickListener(view -> set(desk));
    turnTo(desk, 0);
  }

  private void turnTo(ProcedureActivity desk, int to) {
    mark = to;
    // Defect 3: the dial goes around one way only.
    desk.<TextView>findViewById(R.id.mark).setText(marks[mark]);
  }

  private void set(ProcedureActivity desk) {
    if (mark == RIGHT) {
      desk.passed();
    } else {
      desk.alarm(R.string.dial_alarm);
    }
  }
}
