package dev.fewtaps.samples.wizard;

import android.app.Activity;
import android.os.Bundle;
import android.view.View;
import android.widget.TextView;
import java.util.Locale;

/** The last screen: sends the parcel. */
public final class SendActivity extends Activity {
  private Bundle order;

  @Override
  protected void onCreate(Bundle savedInstanceState) {
    super.onCreate(savedInstanceState);
    setContentView(R.layout.send);
    order = getIntent().getBundleExtra(StepActivity.EXTRA_ORDER);
    findViewById(R.id.send).setOnClickListener(this::send);
  }

  private void send(View button) {
    this.<TextView>findViewById(R.id.label).setText(getString(R.string.sent, label()));
  }

  private String label() {
    // The defect: no step ever asked for a street.
    String street = order.getString("street").toUpperCase(Locale.ROOT);
    return order.getString("name") + ", " + street + ", " + order.getString("postcode");
  }
}
