package dev.fewtaps.samples.shop;

import android.app.Activity;
import android.content.ComponentName;
import android.content.Context;
import android.content.Intent;
import android.content.ServiceConnection;
import android.os.IBinder;

/** A screen that is bound to the cart while it is started. */
abstract class CartClient extends Activity {
  private final ServiceConnection connection =
      new ServiceConnection() {
        @Override
        public void onServiceConnected(ComponentName name, IBinder binder) {
          cart = ((CartService.CartBinder) binder).cart();
          onCart(cart);
        }

        @Override
        public void onServiceDisconnected(ComponentName name) {
          cart = null;
        }
      };
  private CartService cart;

  /** Is called when the cart can be used. */
  abstract void onCart(CartService cart);

  /** The cart, or null while the service is not there yet. */
  final CartService cart() {
    return cart;
  }

  final String price(long cents) {
    return getString(R.string.price, cents / 100, cents % 100);
  }

  @Override
  protected void onStart() {
    super.onStart();
    bindService(new Intent(this, CartService.class), connection, Context.BIND_AUTO_CREATE);
  }

  @Override
  protected void onStop() {
    unbindService(connection);
    cart = null;
    super.onStop();
  }
}
