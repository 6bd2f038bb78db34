package dev.fewtaps.samples.museum;

import android.os.Bundle;
import android.widget.RadioGroup;

/** Three questions at the end of the tour. */
public final class SurveyActivity extends KioskActivity {
  private static final int[] QUESTIONS = {R.id.rooms, R.id.guide, R.id.people};

  @Override
  protected void onCreate(Bundle savedInstanceState) {
    super.onCreate(savedInstanceState);
    setContentView(R.layout.survey);
    onTap(R.id.send, this::send);
    onTap(R.id.no_survey, () -> goOn(FarewellActivity.class));
  }

  private void send() {
    int good = 0;
    int answered = 0;
    for (int question : QUESTIONS) {
      int answer = this.<RadioGroup>findViewById(question).getCheckedRadioButtonId();
      if (answer != -1) {
        answered++;
        good += answer == R.id.rooms_good || answer == R.id.guide_good || answer == R.id.people_good ? 1 : 0;
      }
    }
    getPreferences(MODE_PRIVATE).edit().putInt("percent", percent(good, answered)).apply();
    goOn(FarewellActivity.class);
  }

  private static int percent(int good, int answered) {
    // Defect 5: one may send a survey without an answer.
    return 100 * good / answered;
  }
}
