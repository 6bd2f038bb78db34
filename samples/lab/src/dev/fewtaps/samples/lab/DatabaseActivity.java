package dev.fewtaps.samples.lab;

import android.content.ContentValues;
import android.content.Context;
import android.database.Cursor;
import android.database.DatabaseUtils;
import android.database.SQLException;
import android.database.sqlite.SQLiteDatabase;
import android.database.sqlite.SQLiteOpenHelper;
import android.database.sqlite.SQLiteStatement;

/** A SQLite database with a helper, an upgrade, transactions and constraints. */
public final class DatabaseActivity extends LabActivity {
  private static final class Helper extends SQLiteOpenHelper {
    private final DatabaseActivity lab;

    Helper(DatabaseActivity lab, int version) {
      super(lab, "lab.db", null, version);
      this.lab = lab;
    }

    @Override
    public void onCreate(SQLiteDatabase database) {
      lab.say("create");
      database.execSQL("CREATE TABLE city (_id INTEGER PRIMARY KEY, name TEXT UNIQUE, people INTEGER)");
    }

    @Override
    public void onUpgrade(SQLiteDatabase database, int oldVersion, int newVersion) {
      lab.say("upgrade " + oldVersion + " to " + newVersion);
      database.execSQL("ALTER TABLE city ADD COLUMN country TEXT DEFAULT 'none'");
    }
  }

  private int version = 1;
  private Helper helper;
  private int cities;

  @Override
  protected void fill() {
    helper = new Helper(this, version);
    button("Insert", this::insert);
    button("Duplicate", this::duplicate);
    button("Query", this::query);
    button("Transaction", this::transaction);
    button("Statement", this::statement);
    button("Bad SQL", this::bad);
    button("Upgrade", this::upgrade);
    button("Delete file", () -> {
      helper.close();
      say("deleted " + deleteDatabase("lab.db"));
    });
  }

  private void insert() {
    ContentValues values = new ContentValues();
    values.put("name", "city " + ++cities);
    values.put("people", cities * 1000);
    say("inserted " + helper.getWritableDatabase().insert("city", null, values));
  }

  private void duplicate() {
    ContentValues values = new ContentValues();
    values.put("name", "city 1");
    try {
      helper.getWritableDatabase().insertOrThrow("city", null, values);
      say("inserted");
    } catch (SQLException error) {
      say("refused " + error.getClass().getSimpleName());
    }
  }

  private void query() {
    SQLiteDatabase database = helper.getReadableDatabase();
    try (Cursor cursor = database.rawQuery("SELECT name, people FROM city WHERE people > ? ORDER BY name", new String[] {"0"})) {
      say("columns " + cursor.getColumnCount() + " rows " + cursor.getCount());
      while (cursor.moveToNext()) {
        say(cursor.getString(0) + " " + cursor.getInt(cursor.getColumnIndexOrThrow("people")));
      }
    }
  }

  private void transaction() {
    SQLiteDatabase database = helper.getWritableDatabase();
    database.beginTransaction();
    try {
      database.delete("city", null, null);
      say("inside " + DatabaseUtils.queryNumEntries(database, "city"));
      // No setTransactionSuccessful: the deletion is rolled back.
    } finally {
      database.endTransaction();
    }
    say("after " + DatabaseUtils.queryNumEntries(database, "city"));
  }

  private void statement() {
    try (SQLiteStatement sum = helper.getReadableDatabase().compileStatement("SELECT total(people) FROM city")) {
      say("people " + sum.simpleQueryForLong());
    }
  }

  private void bad() {
    try {
      helper.getReadableDatabase().execSQL("SELEKT");
      say("no error");
    } catch (SQLException error) {
      say("error " + error.getClass().getSimpleName());
    }
  }

  private void upgrade() {
    helper.close();
    helper = new Helper(this, ++version);
    say("version " + helper.getWritableDatabase().getVersion());
  }

  @Override
  protected void onDestroy() {
    helper.close();
    super.onDestroy();
  }
}
