package dev.fewtaps.samples.wizard;

import android.os.Bundle;
import android.view.Menu;
import android.view.MenuItem;
import android.widget.TextView;

/** Step 11: a choice that is only in the menu. */
public final class PaymentActivity extends StepActivity {
  private boolean cash;

  public PaymentActivity() {
    super(R.string.payment, R.layout.payment, R.string.payment_error);
  }

  @Override
  public boolean onCreateOptionsMenu(Menu menu) {
    getMenuInflater().inflate(R.menu.payment, menu);
    return true;
  }

  @Override
  public boolean onOptionsItemSelected(MenuItem item) {
    cash = item.getItemId() == R.id.pay_cash;
    this.<TextView>findViewById(R.id.payment).setText(cash ? R.string.cash : R.string.card_error);
    return true;
  }

  @Override
  boolean answer(Bundle order) {
    return cash;
  }
}
