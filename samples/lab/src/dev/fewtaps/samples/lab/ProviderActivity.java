package dev.fewtaps.samples.lab;

import android.content.ContentValues;
import android.database.ContentObserver;
import android.database.Cursor;
import android.net.Uri;
import android.os.Handler;

/** Works on the app's own content provider through the resolver. */
public final class ProviderActivity extends LabActivity {
  private ContentObserver observer;
  private int inserted;

  @Override
  protected void fill() {
    button("Insert", this::insert);
    button("Query", this::query);
    button("Update", this::update);
    button("Delete", () -> say("deleted " + getContentResolver().delete(NotesProvider.NOTES, null, null)));
    button("Type", () -> say("type " + getContentResolver().getType(NotesProvider.NOTES)));
    button("Absent provider", () -> say("absent " + getContentResolver().query(Uri.parse("content://absent/x"), null, null, null, null)));
    observer =
        new ContentObserver(new Handler()) {
          @Override
          public void onChange(boolean selfChange, Uri uri) {
            say("changed " + uri.getLastPathSegment());
          }
        };
    getContentResolver().registerContentObserver(NotesProvider.NOTES, true, observer);
    say("provider before application: " + LabApplication.providerFirst);
  }

  private void insert() {
    ContentValues values = new ContentValues();
    values.put("text", "note " + ++inserted);
    say("inserted " + getContentResolver().insert(NotesProvider.NOTES, values).getLastPathSegment());
  }

  private void query() {
    String[] projection = {"_id", "text"};
    try (Cursor cursor = getContentResolver().query(NotesProvider.NOTES, projection, null, null, "_id")) {
      say("rows " + cursor.getCount());
      while (cursor.moveToNext()) {
        say(cursor.getLong(0) + " " + cursor.getString(1));
      }
    }
  }

  private void update() {
    ContentValues values = new ContentValues();
    values.put("text", "changed");
    say("updated " + getContentResolver().update(NotesProvider.NOTES, values, "_id = ?", new String[] {"1"}));
  }

  @Override
  protected void onDestroy() {
    getContentResolver().unregisterContentObserver(observer);
    super.onDestroy();
  }
}
