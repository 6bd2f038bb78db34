package dev.fewtaps.samples.wizard;

import android.os.Bundle;
import android.widget.EditText;

/** Step 4: a postcode of four digits. */
public final class PostcodeActivity extends StepActivity {
  public PostcodeActivity() {
    super(R.string.postcode, R.layout.postcode, R.string.postcode_error);
  }

  @Override
  boolean answer(Bundle order) {
    String postcode = this.<EditText>findViewById(R.id.postcode).getText().toString();
    order.putString("postcode", postcode);
    return postcode.matches("[1-9][0-9]{3}");
  }
}
