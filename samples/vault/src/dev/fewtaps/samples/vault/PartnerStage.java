package dev.fewtaps.samples.vault;

import android.widget.Spinner;

/** Step 5: a partner who is on duty and not oneself. */
final class PartnerStage extends Stage {
  private static final int OWN_NUMBER = 10;

  PartnerStage() {
    super(R.string.partner, R.layout.partner);
  }

  @Override
  void open(ProcedureActivity desk) {
    desk.findViewById(R.id.confirm).setOnClickListener(view -> confirm(desk));
  }

  private void confirm(ProcedureActivity desk) {
    Spinner spinner = desk.findViewById(R.id.partners);
    if (spinner.getSelectedItemPosition() == 0) {
      desk.say(desk.getString(R.string.partner_choose));
      return;
    }
    String entry = (String) spinner.getSelectedItem();
    int number = numberOf(entry);
    String name = entry.substring(entry.indexOf(' ') + 1, entry.indexOf(','));
    if (number == OWN_NUMBER) {
      desk.alarm(R.string.partner_self);
    } else if (entry.endsWith("on leave")) {
      desk.alarm(desk.getString(R.string.partner_leave, name));
    } else if (entry.endsWith("day shift")) {
      desk.alarm(desk.getString(R.string.partner_day, name));
    } else {
      desk.release.partner = number;
      desk.passed();
    }
  }

  private static int numberOf(String entry) {
    // Defect 2: those on trial have a letter in their number.
    return Integer.parseInt(entry.substring(0, entry.indexOf(' ')));
  }
}
