package dev.fewtaps.samples.museum;

import android.os.Bundle;

/** The end of the hunt: a prize for the stamps. */
public final class PrizeActivity extends KioskActivity {
  @Override
  protected void onCreate(Bundle savedInstanceState) {
    super.onCreate(savedInstanceState);
    setContentView(R.layout.prize);
    say(R.id.result, getString(R.string.stamps_of, visit.team(), visit.stamps()));
    say(R.id.prize, getString(HuntActivity.praise(visit.stamps())));
    onTap(R.id.open_chest, this::open);
    onTap(R.id.finish, () -> goOn(FarewellActivity.class));
  }

  private void open() {
    String[] prizes = getResources().getStringArray(R.array.prizes);
    // Defect 1: no stamp at all has a prize too, so there is one too few.
    say(R.id.prize, getString(R.string.prize, prizes[visit.stamps()]));
    findViewById(R.id.open_chest).setEnabled(false);
  }
}
