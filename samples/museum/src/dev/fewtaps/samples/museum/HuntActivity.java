package dev.fewtaps.samples.museum;

import android.content.Intent;
import android.os.Bundle;

/** A station of the hunt: one riddle, one answer, and on to the next. */
public final class HuntActivity extends KioskActivity {
  private static final int[] RIDDLES = {
    R.string.riddle_1, R.string.riddle_2, R.string.riddle_3, R.string.riddle_4, R.string.riddle_5
  };
  private static final int[] ANSWERS = {
    R.array.answers_1, R.array.answers_2, R.array.answers_3, R.array.answers_4, R.array.answers_5
  };
  private static final Room[] ROOMS = {Room.EGYPT, Room.FOSSILS, Room.METEORITES, Room.PAINTINGS, Room.ROME};
  private static final int[] RIGHT = {1, 0, 2, 1, 1};

  private int station;

  @Override
  protected void onCreate(Bundle savedInstanceState) {
    super.onCreate(savedInstanceState);
    setContentView(R.layout.hunt);
    station = visit.station();
    say(R.id.station, getString(R.string.station, station + 1, getString(ROOMS[station].title)));
    say(R.id.stamps, getString(R.string.stamps, visit.stamps()));
    say(R.id.praise, station == 0 ? "" : getString(praise(visit.stamps())));
    say(R.id.riddle, getString(RIDDLES[station]));
    String[] answers = getResources().getStringArray(ANSWERS[station]);
    for (int i = 0; i < answers.length; i++) {
      boolean right = i == RIGHT[station];
      addButton(R.id.answers, answers[i], view -> answer(right));
    }
    onTap(R.id.rest, () -> startActivity(new Intent(this, ColouringActivity.class)));
  }

  static int praise(int stamps) {
    switch (stamps) {
      case 1:
        return R.string.praise_1;
      case 2:
        return R.string.praise_2;
      case 3:
        return R.string.praise_3;
      case 4:
        return R.string.praise_4;
      case 5:
        return R.string.praise_5;
      default:
        return R.string.praise_0;
    }
  }

  private void answer(boolean right) {
    visit.answered(right);
    goOn(station + 1 < RIDDLES.length ? HuntActivity.class : PrizeActivity.class);
  }
}
