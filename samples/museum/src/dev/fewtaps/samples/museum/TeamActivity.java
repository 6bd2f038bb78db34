package dev.fewtaps.samples.museum;

import android.os.Bundle;
import android.widget.EditText;

/** The hunt begins with the name of the team. */
public final class TeamActivity extends KioskActivity {
  @Override
  protected void onCreate(Bundle savedInstanceState) {
    super.onCreate(savedInstanceState);
    setContentView(R.layout.team);
    onTap(R.id.start_hunt, this::start);
  }

  private void start() {
    String team = this.<EditText>findViewById(R.id.team).getText().toString().trim();
    if (team.isEmpty()) {
      say(R.id.error, getString(R.string.team_error));
      return;
    }
    visit.setTeam(team);
    goOn(HuntActivity.class);
  }
}
