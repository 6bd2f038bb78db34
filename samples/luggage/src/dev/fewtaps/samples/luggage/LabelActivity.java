package dev.fewtaps.samples.luggage;

import android.content.Intent;
import android.os.Bundle;
import android.widget.TextView;

/** Waits for a result with a field that it does not save. */
public final class LabelActivity extends Page {
  private StringBuilder words;
  private TextView text;

  @Override
  protected void onCreate(Bundle saved) {
    super.onCreate(saved);
    text = text("No label");
    button(
        R.id.choose,
        R.string.choose,
        view -> {
          words = new StringBuilder("A label in ");
          startActivityForResult(new Intent(this, ColourActivity.class), 1);
        });
  }

  @Override
  protected void onActivityResult(int request, int result, Intent data) {
    if (result == RESULT_OK) {
      text.setText(words.append(data.getStringExtra("colour")));
    }
  }
}
