package dev.fewtaps.samples.notes;

import android.content.ContentValues;
import android.content.Context;
import android.database.Cursor;
import android.database.sqlite.SQLiteDatabase;
import android.database.sqlite.SQLiteOpenHelper;

/** The notes, kept in a database. */
final class NoteStore extends SQLiteOpenHelper {
  private static final String[][] FIRST_NOTES = {
    {"Groceries", "Bread, apples, coffee"},
    {"Books to read", "The Periodic Table"},
    {"Ideas", ""},
  };

  NoteStore(Context context) {
    super(context, "notes.db", null, 1);
  }

  @Override
  public void onCreate(SQLiteDatabase database) {
    database.execSQL("CREATE TABLE note (_id INTEGER PRIMARY KEY, title TEXT NOT NULL, body TEXT NOT NULL)");
    for (String[] note : FIRST_NOTES) {
      insert(database, note[0], note[1]);
    }
  }

  @Override
  public void onUpgrade(SQLiteDatabase database, int oldVersion, int newVersion) {
    throw new IllegalStateException("there is only one version");
  }

  long add(String title) {
    return insert(getWritableDatabase(), title, "");
  }

  private static long insert(SQLiteDatabase database, String title, String body) {
    ContentValues values = new ContentValues();
    values.put("title", title);
    values.put("body", body);
    return database.insertOrThrow("note", null, values);
  }

  Cursor all() {
    return getReadableDatabase().query("note", null, null, null, null, null, "_id");
  }

  String get(long id, String column) {
    String[] wanted = {column};
    try (Cursor cursor = getReadableDatabase().query("note", wanted, "_id = " + id, null, null, null, null)) {
      return cursor.moveToFirst() ? cursor.getString(0) : "";
    }
  }

  void set(long id, String column, String value) {
    ContentValues values = new ContentValues();
    values.put(column, value);
    getWritableDatabase().update("note", values, "_id = " + id, null);
  }

  void delete(long id) {
    getWritableDatabase().delete("note", "_id = " + id, null);
  }
}
