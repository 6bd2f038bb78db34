package dev.fewtaps.twin.inside;

import android.content.ContentValues;
import android.database.Cursor;
import android.database.MatrixCursor;
import android.database.sqlite.SQLiteDatabase;
import android.database.sqlite.SQLiteException;
import dev.fewtaps.twin.world.MosaicJpeg;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The rows of the phone's own providers, in a database in memory that is made when first asked.
 *
 * <p>Any selection and order that SQLite understands works. A column that a table lacks is null, as
 * columns of other Android versions are, instead of an error that the phone would not show.
 */
final class ContentTables {
  /**
   * The rows that a URI stands for.
   *
   * @param table a table or view
   * @param where a condition of the URI itself, or null
   * @param base the table that rows are written to, or null if they cannot be written
   */
  record Rows(String table, String where, List<String> arguments, String base) {
    Rows(String table, String base) {
      this(table, null, List.of(), base);
    }

    Rows where(String condition, String... values) {
      List<String> all = new ArrayList<>(arguments);
      all.addAll(List.of(values));
      String both = where == null ? condition : where + " AND " + condition;
      return new Rows(table, both, all, base);
    }
  }

  private static final Pattern MISSING = Pattern.compile("no such column: ([A-Za-z_]\\w*)");
  private static final int MOST_MISSING = 40;

  private final boolean furnished;
  private final String sharedRoot;
  private SQLiteDatabase database;

  ContentTables(boolean furnished, String sharedRoot) {
    this.furnished = furnished;
    this.sharedRoot = sharedRoot;
  }

  /** Answers a query as a provider does that hands it to SQLite. */
  synchronized MatrixCursor query(
      String authority,
      Rows rows,
      String[] projection,
      String selection,
      String[] arguments,
      String order) {
    Set<String> missing = new TreeSet<>();
    while (true) {
      try {
        return run(authority, rows, projection, selection, arguments, order, missing);
      } catch (SQLiteException e) {
        Matcher found = MISSING.matcher(String.valueOf(e.getMessage()));
        if (!found.find() || missing.size() >= MOST_MISSING || !missing.add(found.group(1))) {
          throw e;
        }
      }
    }
  }

  private MatrixCursor run(
      String authority,
      Rows rows,
      String[] projection,
      String selection,
      String[] arguments,
      String order,
      Set<String> missing) {
    StringBuilder source = new StringBuilder("(SELECT *");
    for (String column : missing) {
      source.append(", NULL AS ").append(column);
    }
    source.append(" FROM ").append(rows.table());
    if (rows.where() != null) {
      source.append(" WHERE ").append(rows.where());
    }
    source.append(')');
    StringBuilder sql = new StringBuilder("SELECT ");
    boolean all = projection == null || projection.length == 0;
    sql.append(all ? "*" : String.join(", ", projection)).append(" FROM ").append(source);
    if (selection != null && !selection.isBlank()) {
      sql.append(" WHERE (").append(selection).append(')');
    }
    if (order != null && !order.isBlank()) {
      sql.append(" ORDER BY ").append(order);
    }
    List<String> values = new ArrayList<>(rows.arguments());
    if (arguments != null) {
      values.addAll(Arrays.asList(arguments));
    }
    try (Cursor found = open().rawQuery(sql.toString(), values.toArray(new String[0]))) {
      return copy(found, all ? EmptyCursors.allColumns(authority) : new String[0]);
    }
  }

  /** Copies the rows, so that nothing is left open; columns that a phone has besides are null. */
  private static MatrixCursor copy(Cursor found, String[] besides) {
    List<String> names = new ArrayList<>(Arrays.asList(found.getColumnNames()));
    int count = names.size();
    Set<String> known = new HashSet<>(names);
    for (String name : besides) {
      if (known.add(name)) {
        names.add(name);
      }
    }
    MatrixCursor copied = new MatrixCursor(names.toArray(new String[0]), found.getCount());
    while (found.moveToNext()) {
      Object[] row = new Object[names.size()];
      for (int i = 0; i < count; i++) {
        row[i] = cell(found, i);
      }
      copied.addRow(row);
    }
    return copied;
  }

  private static Object cell(Cursor cursor, int column) {
    switch (cursor.getType(column)) {
      case Cursor.FIELD_TYPE_INTEGER:
        return cursor.getLong(column);
      case Cursor.FIELD_TYPE_FLOAT:
        return cursor.getDouble(column);
      case Cursor.FIELD_TYPE_BLOB:
        return cursor.getBlob(column);
      case Cursor.FIELD_TYPE_STRING:
        return cursor.getString(column);
      default:
        return null;
    }
  }

  /** Returns the first value of the first row, or null. */
  String text(Rows rows, String column) {
    try (Cursor found = query("", rows, new String[] {column}, null, null, null)) {
      return found.moveToFirst() ? found.getString(0) : null;
    }
  }

  /** Adds a row and returns its number. */
  synchronized long insert(Rows rows, ContentValues values) {
    ContentValues known = known(rows.base(), values);
    return open().insertOrThrow(rows.base(), "_id", known);
  }

  synchronized int update(Rows rows, ContentValues values, String selection, String[] arguments) {
    ContentValues known = known(rows.base(), values);
    return known.size() == 0
        ? 0
        : open().update(rows.base(), known, chosen(rows, selection), joined(rows, arguments));
  }

  synchronized int delete(Rows rows, String selection, String[] arguments) {
    return open().delete(rows.base(), chosen(rows, selection), joined(rows, arguments));
  }

  private static String chosen(Rows rows, String selection) {
    StringBuilder source = new StringBuilder("_id IN (SELECT _id FROM " + rows.table());
    source.append(rows.where() == null ? ")" : " WHERE " + rows.where() + ")");
    if (selection != null && !selection.isBlank()) {
      source.append(" AND (").append(selection).append(')');
    }
    return source.toString();
  }

  private static String[] joined(Rows rows, String[] arguments) {
    List<String> values = new ArrayList<>(rows.arguments());
    if (arguments != null) {
      values.addAll(Arrays.asList(arguments));
    }
    return values.toArray(new String[0]);
  }

  /** Leaves out what the table has no column for. */
  private ContentValues known(String table, ContentValues values) {
    ContentValues known = new ContentValues();
    if (values == null) {
      return known;
    }
    Set<String> columns = new HashSet<>();
    try (Cursor found = open().rawQuery("SELECT * FROM " + table + " LIMIT 0", null)) {
      for (String name : found.getColumnNames()) {
        columns.add(name.toLowerCase(Locale.ROOT));
      }
    }
    known.putAll(values);
    for (String name : values.keySet()) {
      if (!columns.contains(name.toLowerCase(Locale.ROOT))) {
        known.remove(name);
      }
    }
    return known;
  }

  synchronized void close() {
    if (database != null) {
      database.close();
      database = null;
    }
  }

  private SQLiteDatabase open() {
    if (database == null) {
      database = SQLiteDatabase.create(null);
      database.beginTransaction();
      run(ContactRows.TABLES);
      run(CalendarRows.TABLES);
      run(MessageRows.TABLES);
      run(MediaRows.TABLES);
      PhoneFile.SOUNDS.forEach(this::addSound);
      if (furnished) {
        run(ContactRows.ROWS);
        run(CalendarRows.ROWS);
        run(MessageRows.ROWS);
        addPhoto(1);
        addPhoto(5);
        PhoneFile.SHARED.forEach(this::addFile);
      }
      database.setTransactionSuccessful();
      database.endTransaction();
    }
    return database;
  }

  private void run(String statements) {
    for (String statement : statements.split(";\n")) {
      if (!statement.isBlank()) {
        database.execSQL(statement);
      }
    }
  }

  private void addPhoto(int person) {
    ContentValues photo = new ContentValues();
    photo.put("raw_contact_id", person);
    photo.put("mimetype", "vnd.android.cursor.item/photo");
    photo.put("data14", person);
    photo.put("data15", MosaicJpeg.make(96, 96, 1, person));
    database.insertOrThrow("data_rows", null, photo);
  }

  private void addSound(PhoneFile file) {
    ContentValues row = described(file, file.path());
    row.put("volume_name", "internal");
    row.put("media_type", 2);
    row.put("is_ringtone", file.path().contains("/ringtones/") ? 1 : 0);
    row.put("is_notification", file.path().contains("/notifications/") ? 1 : 0);
    row.put("is_alarm", file.path().contains("/alarms/") ? 1 : 0);
    row.put("is_music", 0);
    database.insertOrThrow("sounds", null, row);
  }

  private void addFile(PhoneFile file) {
    ContentValues row = described(file, sharedRoot + "/" + file.path());
    row.put("volume_name", "external_primary");
    row.put("media_type", mediaType(file.type()));
    row.put("is_music", file.type().startsWith("audio/") ? 1 : 0);
    row.put("is_download", file.path().startsWith("Download/") ? 1 : 0);
    database.insertOrThrow("files", null, row);
  }

  /** The media store's number for a kind of file. */
  static int mediaType(String type) {
    return type.startsWith("image/")
        ? 1
        : type.startsWith("audio/") ? 2 : type.startsWith("video/") ? 3 : 0;
  }

  private static ContentValues described(PhoneFile file, String path) {
    ContentValues row = new ContentValues();
    String folder = path.substring(0, path.lastIndexOf('/'));
    String name = file.name();
    row.put("_id", file.id());
    row.put("_data", path);
    row.put("_display_name", name);
    row.put("_size", file.bytes().length);
    row.put("mime_type", file.type());
    row.put("title", file.song()[0] != null ? file.song()[0] : name.replaceFirst("\\.\\w+$", ""));
    row.put("date_added", PhoneFile.MADE_MILLIS / 1000 + file.id() * 60);
    row.put("date_modified", PhoneFile.MADE_MILLIS / 1000);
    row.put("bucket_id", folder.toLowerCase(Locale.ROOT).hashCode());
    row.put("bucket_display_name", folder.substring(folder.lastIndexOf('/') + 1));
    int below = file.path().lastIndexOf('/');
    row.put("relative_path", file.path().substring(0, below + 1));
    if (file.size()[0] > 0) {
      row.put("width", file.size()[0]);
      row.put("height", file.size()[1]);
      row.put("resolution", file.size()[0] + "x" + file.size()[1]);
      row.put("datetaken", PhoneFile.MADE_MILLIS + file.id() * 60_000);
      row.put("orientation", file.id() == 2 ? 90 : 0);
    }
    if (file.millis() > 0) {
      row.put("duration", file.millis());
    }
    if (file.type().startsWith("audio/")) {
      boolean tagged = file.song()[1] != null;
      row.put("artist", tagged ? file.song()[1] : "<unknown>");
      row.put("artist_id", tagged ? 1 : 2);
      row.put("album", tagged ? file.song()[2] : "Music");
      row.put("album_id", tagged ? 1 : 2);
      row.put("track", file.id() - 6);
      row.put("year", tagged ? 2025 : null);
    }
    return row;
  }
}
