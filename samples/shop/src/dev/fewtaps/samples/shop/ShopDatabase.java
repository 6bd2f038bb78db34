package dev.fewtaps.samples.shop;

import android.content.ContentValues;
import android.content.Context;
import android.database.sqlite.SQLiteDatabase;
import android.database.sqlite.SQLiteOpenHelper;

/** The tables of the shop. */
final class ShopDatabase extends SQLiteOpenHelper {
  private static final Object[][] PRODUCTS = {
    {"Apples", 249, 0}, {"Bread", 320, 0}, {"Candles", 599, 1}, {"Coffee", 899, 1},
    {"Honey", 650, 0}, {"Matches", 99, 0}, {"Soap", 189, 1}, {"Tea", 450, 0},
  };

  ShopDatabase(Context context) {
    super(context, "shop.db", null, 1);
  }

  @Override
  public void onCreate(SQLiteDatabase database) {
    database.execSQL("CREATE TABLE product (_id INTEGER PRIMARY KEY, name TEXT, cents INTEGER, offer INTEGER)");
    database.execSQL("CREATE TABLE cart (_id INTEGER PRIMARY KEY, product_id INTEGER UNIQUE, quantity INTEGER)");
    database.execSQL("CREATE TABLE purchase (_id INTEGER PRIMARY KEY AUTOINCREMENT, cents INTEGER)");
    for (Object[] product : PRODUCTS) {
      ContentValues values = new ContentValues();
      values.put("name", (String) product[0]);
      values.put("cents", (Integer) product[1]);
      values.put("offer", (Integer) product[2]);
      database.insertOrThrow("product", null, values);
    }
  }

  @Override
  public void onUpgrade(SQLiteDatabase database, int oldVersion, int newVersion) {
    throw new IllegalStateException("there is only one version");
  }
}
