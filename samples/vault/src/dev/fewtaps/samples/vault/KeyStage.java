package dev.fewtaps.samples.vault;

import android.view.View;

/** Step 6: a key that must be held, beside one that must be left alone. */
final class KeyStage extends Stage {
  KeyStage() {
    super(R.string.key, R.layout.key);
  }

  @Override
  void open(ProcedureActivity desk) {
    forbid(desk, R.string.key_alarm, R.id.turn);
    forbid(desk, R.string.key_other_alarm, R.id.turn_other);
    View key = desk.findViewById(R.id.turn);
    key.setOnLongClickListener(
        view -> {
          desk.passed();
          return true;
        });
    desk.findViewById(R.id.look_key)
        .setOnClickListener(view -> desk.say(desk.getString(R.string.key_looks)));
  }
}
