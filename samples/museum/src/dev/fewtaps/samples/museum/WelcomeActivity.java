package dev.fewtaps.samples.museum;

import android.os.Bundle;
import android.widget.CheckBox;
import android.widget.RadioGroup;

/** Asks once what the visit shall be; from then on the app is another one. */
public final class WelcomeActivity extends KioskActivity {
  @Override
  protected void onCreate(Bundle savedInstanceState) {
    super.onCreate(savedInstanceState);
    if (visit.screen() != null) {
      goOn(visit.screen());
      return;
    }
    setContentView(R.layout.welcome);
    onTap(R.id.begin, this::begin);
  }

  private void begin() {
    int chosen = this.<RadioGroup>findViewById(R.id.profiles).getCheckedRadioButtonId();
    if (chosen == -1) {
      say(R.id.error, getString(R.string.choose_profile));
    } else if (!this.<CheckBox>findViewById(R.id.whole_visit).isChecked()) {
      say(R.id.error, getString(R.string.choose_whole));
    } else if (chosen == R.id.profile_tour) {
      goOn(TourActivity.class);
    } else if (chosen == R.id.profile_hunt) {
      goOn(TeamActivity.class);
    } else {
      goOn(DeskActivity.class);
    }
  }
}
