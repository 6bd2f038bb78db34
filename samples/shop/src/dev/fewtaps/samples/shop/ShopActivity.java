package dev.fewtaps.samples.shop;

import android.app.AlertDialog;
import android.content.Intent;
import android.database.Cursor;
import android.net.Uri;
import android.content.ContentUris;
import android.os.Bundle;
import android.view.ContextMenu;
import android.view.Menu;
import android.view.MenuItem;
import android.view.View;
import android.widget.AdapterView;
import android.widget.ArrayAdapter;
import android.widget.ListView;
import android.widget.SeekBar;
import android.widget.SimpleCursorAdapter;
import android.widget.TabHost;
import android.widget.TextView;
import java.util.ArrayList;
import java.util.List;

/** The shop's shelves, in tabs, with a drawer on the left. */
public final class ShopActivity extends CartClient {
  private static final String STATE_BY_PRICE = "by_price";

  private DrawerPanel panel;
  private TabHost tabs;
  private SimpleCursorAdapter products;
  private SimpleCursorAdapter offers;
  private boolean byPrice;

  @Override
  protected void onCreate(Bundle savedInstanceState) {
    super.onCreate(savedInstanceState);
    setContentView(R.layout.shop);
    byPrice = savedInstanceState != null && savedInstanceState.getBoolean(STATE_BY_PRICE);
    panel = findViewById(R.id.panel);
    getActionBar().setDisplayHomeAsUpEnabled(true);
    getActionBar().setHomeActionContentDescription(R.string.open_menu);
    fillTabs();
    fillDrawer();
    products = shelf(R.id.products);
    offers = shelf(R.id.offers);
  }

  @Override
  protected void onSaveInstanceState(Bundle outState) {
    super.onSaveInstanceState(outState);
    outState.putBoolean(STATE_BY_PRICE, byPrice);
  }

  private void fillTabs() {
    tabs = findViewById(android.R.id.tabhost);
    tabs.setup();
    addTab("products", R.string.products, R.id.products_tab);
    addTab("offers", R.string.offers, R.id.offers_tab);
    addTab("orders", R.string.orders, R.id.orders_tab);
    tabs.setOnTabChangedListener(tag -> showOrders());
  }

  private void addTab(String tag, int title, int content) {
    tabs.addTab(tabs.newTabSpec(tag).setIndicator(getString(title)).setContent(content));
  }

  private void fillDrawer() {
    int[] entries = {R.string.products, R.string.orders, R.string.cart, R.string.log_out};
    ArrayAdapter<String> adapter = new ArrayAdapter<>(this, android.R.layout.simple_list_item_1);
    for (int entry : entries) {
      adapter.add(getString(entry));
    }
    ListView drawer = findViewById(R.id.drawer);
    drawer.setAdapter(adapter);
    drawer.setOnItemClickListener(
        (parent, view, position, id) -> {
          panel.close();
          navigate(entries[position]);
        });
  }

  private void navigate(int entry) {
    switch (entry) {
      case R.string.products:
        tabs.setCurrentTabByTag("products");
        break;
      case R.string.orders:
        tabs.setCurrentTabByTag("orders");
        break;
      case R.string.cart:
        startActivity(new Intent(this, CartActivity.class));
        break;
      default:
        new Session(this).forget();
        startActivity(new Intent(this, LoginActivity.class));
        finish();
        break;
    }
  }

  private SimpleCursorAdapter shelf(int id) {
    String[] from = {"name", "cents"};
    int[] to = {R.id.name, R.id.price};
    SimpleCursorAdapter adapter = new SimpleCursorAdapter(this, R.layout.product, null, from, to, 0);
    adapter.setViewBinder(
        (view, cursor, column) -> {
          if (view.getId() != R.id.price) {
            return false;
          }
          ((TextView) view).setText(price(cursor.getLong(column)));
          return true;
        });
    ListView list = findViewById(id);
    list.setAdapter(adapter);
    list.setOnItemClickListener((parent, view, position, productId) -> askQuantity(productId));
    registerForContextMenu(list);
    return adapter;
  }

  @Override
  protected void onStart() {
    super.onStart();
    fillShelves();
    showOrders();
  }

  private void fillShelves() {
    String order = byPrice ? "cents" : "name";
    products.changeCursor(getContentResolver().query(ShopProvider.PRODUCTS, null, null, null, order));
    offers.changeCursor(getContentResolver().query(ShopProvider.PRODUCTS, null, "offer = 1", null, order));
  }

  private void showOrders() {
    List<String> orders = new ArrayList<>();
    try (Cursor cursor = getContentResolver().query(ShopProvider.PURCHASES, null, null, null, "_id DESC")) {
      while (cursor.moveToNext()) {
        orders.add(getString(R.string.order_line, cursor.getLong(0), price(cursor.getLong(1))));
      }
    }
    this.<ListView>findViewById(R.id.orders)
        .setAdapter(new ArrayAdapter<>(this, android.R.layout.simple_list_item_1, orders));
  }

  @Override
  protected void onDestroy() {
    products.changeCursor(null);
    offers.changeCursor(null);
    super.onDestroy();
  }

  @Override
  void onCart(CartService cart) {
    this.<TextView>findViewById(R.id.cart_status).setText(getString(R.string.cart_status, cart.count()));
  }

  private void askQuantity(long productId) {
    View view = getLayoutInflater().inflate(R.layout.quantity, null);
    SeekBar quantity = view.findViewById(R.id.quantity);
    new AlertDialog.Builder(this)
        .setTitle(R.string.quantity)
        .setView(view)
        .setPositiveButton(R.string.add, (dialog, which) -> addToCart(productId, quantity.getProgress() + 1))
        .setNegativeButton(R.string.cancel, null)
        .show();
  }

  private void addToCart(long productId, int quantity) {
    CartService cart = cart();
    if (cart != null) {
      cart.add(productId, quantity);
      onCart(cart);
    }
  }

  @Override
  public void onCreateContextMenu(ContextMenu menu, View view, ContextMenu.ContextMenuInfo info) {
    getMenuInflater().inflate(R.menu.product, menu);
  }

  @Override
  public boolean onContextItemSelected(MenuItem item) {
    long productId = ((AdapterView.AdapterContextMenuInfo) item.getMenuInfo()).id;
    if (item.getItemId() == R.id.product_add) {
      addToCart(productId, 1);
    } else {
      Uri product = ContentUris.withAppendedId(ShopProvider.PRODUCTS, productId);
      getContentResolver().delete(product, null, null);
      fillShelves();
    }
    return true;
  }

  @Override
  public boolean onCreateOptionsMenu(Menu menu) {
    getMenuInflater().inflate(R.menu.shop, menu);
    return true;
  }

  @Override
  public boolean onPrepareOptionsMenu(Menu menu) {
    menu.findItem(R.id.action_sort).setTitle(byPrice ? R.string.sort_name : R.string.sort_price);
    return true;
  }

  @Override
  public boolean onOptionsItemSelected(MenuItem item) {
    switch (item.getItemId()) {
      case android.R.id.home:
        if (panel.isOpen()) {
          panel.close();
        } else {
          panel.open();
        }
        return true;
      case R.id.action_sort:
        byPrice = !byPrice;
        fillShelves();
        return true;
      case R.id.action_about:
        new AlertDialog.Builder(this).setMessage(R.string.about_text).show();
        return true;
      default:
        return super.onOptionsItemSelected(item);
    }
  }

  @Override
  public void onBackPressed() {
    if (panel.isOpen()) {
      panel.close();
    } else {
      super.onBackPressed();
    }
  }
}
