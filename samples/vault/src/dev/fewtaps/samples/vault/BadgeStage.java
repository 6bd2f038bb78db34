package dev.fewtaps.samples.vault;

import android.widget.EditText;

/** Step 2: a number of two to six digits. */
final class BadgeStage extends Stage {
  BadgeStage() {
    super(R.string.badge, R.layout.badge);
  }

  @Override
  void open(ProcedureActivity desk) {
    forbid(desk, R.string.badge_alarm, R.id.no_badge);
    desk.findViewById(R.id.ok).setOnClickListener(view -> check(desk));
  }

  private void check(ProcedureActivity desk) {
    String badge = desk.<EditText>findViewById(R.id.badge).getText().toString();
    if (!badge.matches("[1-9][0-9]{1,5}")) {
      desk.alarm(R.string.badge_alarm);
      return;
    }
    desk.release.badge = Integer.parseInt(badge);
    desk.passed();
  }
}
