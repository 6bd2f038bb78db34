package dev.fewtaps.samples.museum;

import android.os.Bundle;
import android.widget.EditText;

/** The archive is for those with a reader's card. */
public final class DeskActivity extends KioskActivity {
  @Override
  protected void onCreate(Bundle savedInstanceState) {
    super.onCreate(savedInstanceState);
    setContentView(R.layout.desk);
    onTap(R.id.enter, this::enter);
  }

  private void enter() {
    String card = this.<EditText>findViewById(R.id.card).getText().toString();
    if (card.matches("[0-9]{4,}")) {
      goOn(ArchiveActivity.class);
    } else {
      say(R.id.error, getString(R.string.card_error));
    }
  }
}
