package dev.fewtaps.samples.shop;

import android.content.Intent;
import android.os.Bundle;
import android.widget.ArrayAdapter;
import android.widget.ListView;
import android.widget.TextView;
import java.util.ArrayList;
import java.util.List;

/** What is in the cart, and the button that orders it. */
public final class CartActivity extends CartClient {
  @Override
  protected void onCreate(Bundle savedInstanceState) {
    super.onCreate(savedInstanceState);
    setContentView(R.layout.cart);
    findViewById(R.id.order).setOnClickListener(view -> order());
  }

  @Override
  void onCart(CartService cart) {
    List<CartService.Line> lines = cart.lines();
    List<String> texts = new ArrayList<>();
    for (CartService.Line line : lines) {
      texts.add(getString(R.string.line, line.quantity, line.name) + "  " + price(line.cents));
    }
    this.<ListView>findViewById(R.id.lines)
        .setAdapter(new ArrayAdapter<>(this, android.R.layout.simple_list_item_1, texts));
    this.<TextView>findViewById(R.id.total)
        .setText(
            lines.isEmpty()
                ? getString(R.string.empty_cart)
                : getString(R.string.total, price(CartService.total(lines))));
    findViewById(R.id.order).setEnabled(!lines.isEmpty());
  }

  private void order() {
    CartService cart = cart();
    if (cart == null) {
      return;
    }
    long cents = CartService.total(cart.lines());
    startService(new Intent(this, OrderService.class).putExtra(OrderService.EXTRA_CENTS, cents));
    cart.empty();
    finish();
  }
}
