package dev.fewtaps.samples.vault;

import android.app.Activity;
import android.content.Intent;
import android.os.Bundle;

/** The first screen: the release of a box, and three pages that lead nowhere. */
public final class HallActivity extends Activity {
  @Override
  protected void onCreate(Bundle savedInstanceState) {
    super.onCreate(savedInstanceState);
    setContentView(R.layout.hall);
    findViewById(R.id.release)
        .setOnClickListener(view -> startActivity(new Intent(this, ProcedureActivity.class)));
    findViewById(R.id.hours).setOnClickListener(view -> inform(R.string.hours, R.string.hours_text));
    findViewById(R.id.lost_key).setOnClickListener(view -> inform(R.string.lost_key, R.string.lost_key_text));
    findViewById(R.id.phone).setOnClickListener(view -> inform(R.string.phone, R.string.phone_text));
  }

  private void inform(int title, int text) {
    startActivity(
        new Intent(this, InfoActivity.class)
            .putExtra(InfoActivity.EXTRA_TITLE, title)
            .putExtra(InfoActivity.EXTRA_TEXT, text));
  }
}
