package dev.fewtaps.samples.shop;

import android.content.BroadcastReceiver;
import android.content.Context;
import android.content.Intent;
import android.widget.Toast;

/** Tells the user that an order was placed. */
public final class OrderReceiver extends BroadcastReceiver {
  static final String EXTRA_ORDER = "order";

  @Override
  public void onReceive(Context context, Intent intent) {
    long order = intent.getLongExtra(EXTRA_ORDER, 0);
    new Session(context).setLastOrder(order);
    Toast.makeText(context, context.getString(R.string.ordered, order), Toast.LENGTH_SHORT).show();
  }
}
