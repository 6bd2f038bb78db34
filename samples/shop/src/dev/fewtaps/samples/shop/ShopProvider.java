package dev.fewtaps.samples.shop;

import android.content.ContentProvider;
import android.content.ContentUris;
import android.content.ContentValues;
import android.content.UriMatcher;
import android.database.Cursor;
import android.net.Uri;

/** Offers the shop's tables: content://dev.fewtaps.samples.shop/TABLE[/ID]. */
public final class ShopProvider extends ContentProvider {
  private static final String AUTHORITY = "dev.fewtaps.samples.shop";
  static final Uri PRODUCTS = Uri.parse("content://" + AUTHORITY + "/product");
  static final Uri CART = Uri.parse("content://" + AUTHORITY + "/cart");
  static final Uri PURCHASES = Uri.parse("content://" + AUTHORITY + "/purchase");
  private static final int ONE = 1;
  private static final UriMatcher MATCHER = new UriMatcher(UriMatcher.NO_MATCH);

  static {
    MATCHER.addURI(AUTHORITY, "*/#", ONE);
  }

  private ShopDatabase database;

  @Override
  public boolean onCreate() {
    database = new ShopDatabase(getContext());
    return true;
  }

  @Override
  public Cursor query(Uri uri, String[] projection, String selection, String[] arguments, String order) {
    Cursor cursor =
        database
            .getReadableDatabase()
            .query(table(uri), projection, narrowed(uri, selection), arguments, null, null, order);
    cursor.setNotificationUri(getContext().getContentResolver(), uri);
    return cursor;
  }

  @Override
  public String getType(Uri uri) {
    return "vnd.android.cursor." + (MATCHER.match(uri) == ONE ? "item" : "dir") + "/vnd.fewtaps." + table(uri);
  }

  @Override
  public Uri insert(Uri uri, ContentValues values) {
    long id = database.getWritableDatabase().replaceOrThrow(table(uri), null, values);
    changed(uri);
    return ContentUris.withAppendedId(uri, id);
  }

  @Override
  public int delete(Uri uri, String selection, String[] arguments) {
    int count = database.getWritableDatabase().delete(table(uri), narrowed(uri, selection), arguments);
    changed(uri);
    return count;
  }

  @Override
  public int update(Uri uri, ContentValues values, String selection, String[] arguments) {
    int count = database.getWritableDatabase().update(table(uri), values, narrowed(uri, selection), arguments);
    changed(uri);
    return count;
  }

  private void changed(Uri uri) {
    getContext().getContentResolver().notifyChange(uri, null);
  }

  private static String table(Uri uri) {
    return uri.getPathSegments().get(0);
  }

  private static String narrowed(Uri uri, String selection) {
    return MATCHER.match(uri) == ONE ? "_id = " + ContentUris.parseId(uri) : selection;
  }
}
