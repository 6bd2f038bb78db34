package dev.fewtaps.samples.museum;

import android.os.Bundle;

/** The café: a table, an order, and the way on. */
public final class CafeActivity extends KioskActivity {
  private int table = 1;

  @Override
  protected void onCreate(Bundle savedInstanceState) {
    super.onCreate(savedInstanceState);
    setContentView(R.layout.cafe);
    onTap(R.id.less, () -> setTable(table - 1));
    onTap(R.id.plus, () -> setTable(table + 1));
    onTap(R.id.soup, () -> order(R.string.soup));
    onTap(R.id.cake, () -> order(R.string.cake));
    onTap(R.id.coffee, () -> order(R.string.coffee));
    onTap(R.id.to_shop, () -> goOn(ShopActivity.class));
    setTable(table);
  }

  private String[] tables() {
    return getResources().getStringArray(R.array.tables);
  }

  private void setTable(int number) {
    table = Math.max(0, Math.min(number, tables().length));
    say(R.id.table, getString(R.string.table, table));
  }

  private void order(int dish) {
    // Defect 4: tables are counted from one, and nothing keeps the number from becoming zero.
    String place = tables()[table - 1];
    say(R.id.ordered, getString(R.string.ordered, getString(dish), place));
  }
}
