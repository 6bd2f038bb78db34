package dev.fewtaps.samples.lab;

import android.content.ContentProvider;
import android.content.ContentUris;
import android.content.ContentValues;
import android.content.UriMatcher;
import android.database.Cursor;
import android.database.sqlite.SQLiteDatabase;
import android.database.sqlite.SQLiteOpenHelper;
import android.content.Context;
import android.net.Uri;

/** Offers the notes of the lab's database. */
public final class NotesProvider extends ContentProvider {
  static final Uri NOTES = Uri.parse("content://dev.fewtaps.samples.lab.notes/notes");
  private static final int ALL = 1;
  private static final int ONE = 2;
  private static final UriMatcher MATCHER = new UriMatcher(UriMatcher.NO_MATCH);

  static {
    MATCHER.addURI("dev.fewtaps.samples.lab.notes", "notes", ALL);
    MATCHER.addURI("dev.fewtaps.samples.lab.notes", "notes/#", ONE);
  }

  private SQLiteOpenHelper helper;

  private static final class Helper extends SQLiteOpenHelper {
    Helper(Context context) {
      super(context, "notes.db", null, 1);
    }

    @Override
    public void onCreate(SQLiteDatabase database) {
      database.execSQL("CREATE TABLE note (_id INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT NOT NULL)");
    }

    @Override
    public void onUpgrade(SQLiteDatabase database, int oldVersion, int newVersion) {}
  }

  @Override
  public boolean onCreate() {
    LabApplication.providerFirst = !LabApplication.created;
    helper = new Helper(getContext());
    return true;
  }

  @Override
  public Cursor query(Uri uri, String[] projection, String selection, String[] arguments, String order) {
    Cursor cursor =
        helper.getReadableDatabase().query("note", projection, narrowed(uri, selection), arguments, null, null, order);
    cursor.setNotificationUri(getContext().getContentResolver(), NOTES);
    return cursor;
  }

  @Override
  public String getType(Uri uri) {
    return MATCHER.match(uri) == ONE
        ? "vnd.android.cursor.item/vnd.fewtaps.note"
        : "vnd.android.cursor.dir/vnd.fewtaps.note";
  }

  @Override
  public Uri insert(Uri uri, ContentValues values) {
    if (MATCHER.match(uri) != ALL) {
      throw new IllegalArgumentException("cannot insert into " + uri);
    }
    long id = helper.getWritableDatabase().insertOrThrow("note", null, values);
    getContext().getContentResolver().notifyChange(NOTES, null);
    return ContentUris.withAppendedId(NOTES, id);
  }

  @Override
  public int delete(Uri uri, String selection, String[] arguments) {
    int count = helper.getWritableDatabase().delete("note", narrowed(uri, selection), arguments);
    getContext().getContentResolver().notifyChange(NOTES, null);
    return count;
  }

  @Override
  public int update(Uri uri, ContentValues values, String selection, String[] arguments) {
    int count = helper.getWritableDatabase().update("note", values, narrowed(uri, selection), arguments);
    getContext().getContentResolver().notifyChange(NOTES, null);
    return count;
  }

  private static String narrowed(Uri uri, String selection) {
    if (MATCHER.match(uri) != ONE) {
      return selection;
    }
    String one = "_id = " + ContentUris.parseId(uri);
    return selection == null ? one : one + " AND (" + selection + ")";
  }
}
