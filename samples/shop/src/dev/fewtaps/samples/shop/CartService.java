package dev.fewtaps.samples.shop;

import android.app.Service;
import android.content.ContentUris;
import android.content.ContentValues;
import android.content.Intent;
import android.database.Cursor;
import android.os.Binder;
import android.os.IBinder;
import java.util.ArrayList;
import java.util.List;

/** Keeps the cart; screens bind to it. */
public final class CartService extends Service {
  /** One product in the cart. */
  static final class Line {
    final String name;
    final int quantity;
    final long cents;

    Line(String name, int quantity, long cents) {
      this.name = name;
      this.quantity = quantity;
      this.cents = cents;
    }
  }

  /** Gives the service to screens of this process. */
  final class CartBinder extends Binder {
    CartService cart() {
      return CartService.this;
    }
  }

  @Override
  public IBinder onBind(Intent intent) {
    return new CartBinder();
  }

  void add(long productId, int quantity) {
    ContentValues values = new ContentValues();
    values.put("product_id", productId);
    values.put("quantity", quantity);
    getContentResolver().insert(ShopProvider.CART, values);
  }

  void empty() {
    getContentResolver().delete(ShopProvider.CART, null, null);
  }

  int count() {
    try (Cursor cursor = getContentResolver().query(ShopProvider.CART, null, null, null, null)) {
      return cursor.getCount();
    }
  }

  List<Line> lines() {
    List<Line> lines = new ArrayList<>();
    String[] projection = {"product_id", "quantity"};
    try (Cursor cursor = getContentResolver().query(ShopProvider.CART, projection, null, null, "_id")) {
      while (cursor.moveToNext()) {
        lines.add(line(cursor.getLong(0), cursor.getInt(1)));
      }
    }
    return lines;
  }

  private Line line(long productId, int quantity) {
    String[] projection = {"name", "cents"};
    try (Cursor product =
        getContentResolver()
            .query(ContentUris.withAppendedId(ShopProvider.PRODUCTS, productId), projection, null, null, null)) {
      // The defect: a product that was hidden after it went into the cart is not there any more.
      product.moveToFirst();
      return new Line(product.getString(0), quantity, product.getLong(1) * quantity);
    }
  }

  static long total(List<Line> lines) {
    long total = 0;
    for (Line line : lines) {
      total += line.cents;
    }
    return total;
  }
}
