package dev.fewtaps.samples.vault;

import android.widget.EditText;

/** Step 12: two letters or three. */
final class SignStage extends Stage {
  SignStage() {
    super(R.string.sign, R.layout.sign);
  }

  @Override
  void open(ProcedureActivity desk) {
    forbid(desk, R.string.sign_alarm, R.id.sign_later);
    desk.findViewById(R.id.sign_now).setOnClickListener(view -> sign(desk));
  }

  private void sign(ProcedureActivity desk) {
    String initials = desk.<EditText>findViewById(R.id.initials).getText().toString().trim();
    if (initials.matches("[A-Za-z]{2,3}")) {
      desk.release.initials = initials;
      desk.passed();
    } else {
      desk.alarm(R.string.sign_alarm);
    }
  }
}
