package dev.fewtaps.samples.museum;

import android.os.Bundle;

/** The shop: many shelves, and the way out is at their end. */
public final class ShopActivity extends KioskActivity {
  private static final int HANDS = 3;

  private int basket;

  @Override
  protected void onCreate(Bundle savedInstanceState) {
    super.onCreate(savedInstanceState);
    setContentView(R.layout.shop);
    for (String good : getResources().getStringArray(R.array.goods)) {
      addButton(R.id.goods, good, view -> take());
    }
    onTap(R.id.pay, this::pay);
    onTap(R.id.leave_shop, () -> goOn(SurveyActivity.class));
    showBasket();
  }

  private void take() {
    if (basket == HANDS) {
      say(R.id.said, getString(R.string.full));
    } else {
      basket++;
      say(R.id.said, "");
    }
    showBasket();
  }

  private void pay() {
    say(R.id.said, getString(basket == 0 ? R.string.nothing_to_pay : R.string.paid));
    basket = 0;
    showBasket();
  }

  private void showBasket() {
    say(R.id.basket, getString(R.string.basket, basket));
  }
}
