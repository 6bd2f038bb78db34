package dev.fewtaps.samples.shop;

import android.app.IntentService;
import android.content.ContentUris;
import android.content.ContentValues;
import android.content.Intent;
import android.net.Uri;

/** Places orders, one after the other, in the background. */
public final class OrderService extends IntentService {
  static final String EXTRA_CENTS = "cents";

  public OrderService() {
    super("orders");
  }

  @Override
  protected void onHandleIntent(Intent intent) {
    ContentValues values = new ContentValues();
    values.put("cents", intent.getLongExtra(EXTRA_CENTS, 0));
    Uri order = getContentResolver().insert(ShopProvider.PURCHASES, values);
    sendBroadcast(new Intent(this, OrderReceiver.class).putExtra(OrderReceiver.EXTRA_ORDER, ContentUris.parseId(order)));
  }
}
