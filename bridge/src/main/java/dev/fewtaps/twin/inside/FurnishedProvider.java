package dev.fewtaps.twin.inside;

import android.content.ContentProvider;
import android.content.ContentResolver;
import android.content.ContentUris;
import android.content.ContentValues;
import android.content.Intent;
import android.database.Cursor;
import android.database.MatrixCursor;
import android.net.Uri;
import android.os.Bundle;
import android.os.CancellationSignal;
import android.os.ParcelFileDescriptor;
import dev.fewtaps.twin.inside.ContentTables.Rows;
import java.io.File;
import java.io.FileNotFoundException;
import java.util.List;

/** A provider of the phone: people, appointments, calls, messages, media. */
public final class FurnishedProvider extends ContentProvider {
  /** The authorities that such a provider answers for. */
  static final List<String> AUTHORITIES =
      List.of(
          "com.android.contacts",
          "com.android.calendar",
          "call_log",
          "sms",
          "mms",
          "mms-sms",
          "media");

  private static final String LIMIT = "android:query-arg-limit";

  private static final String OFFSET = "android:query-arg-offset";

  private final PhoneContent content;

  FurnishedProvider(PhoneContent content) {
    this.content = content;
  }

  @Override
  public boolean onCreate() {
    return true;
  }

  @Override
  public Cursor query(
      Uri uri, String[] projection, Bundle arguments, CancellationSignal cancellation) {
    Bundle asked = arguments == null ? new Bundle() : arguments;
    String order = asked.getString(ContentResolver.QUERY_ARG_SQL_SORT_ORDER);
    String[] columns = asked.getStringArray(ContentResolver.QUERY_ARG_SORT_COLUMNS);
    if (order == null && columns != null && columns.length > 0) {
      boolean isDown = asked.getInt(ContentResolver.QUERY_ARG_SORT_DIRECTION) == 1;
      order = String.join(isDown ? " DESC, " : ", ", columns) + (isDown ? " DESC" : "");
    }
    if (asked.containsKey(LIMIT)) {
      order = (order == null ? "_id" : order) + " LIMIT " + asked.getInt(LIMIT);
      order += asked.containsKey(OFFSET) ? " OFFSET " + asked.getInt(OFFSET) : "";
    }
    return query(
        uri,
        projection,
        asked.getString(ContentResolver.QUERY_ARG_SQL_SELECTION),
        asked.getStringArray(ContentResolver.QUERY_ARG_SQL_SELECTION_ARGS),
        order);
  }

  @Override
  public Cursor query(
      Uri uri, String[] projection, String selection, String[] arguments, String order) {
    content.require(uri, /* writes= */ false);
    Rows rows = rows(uri);
    if (rows == null) {
      return EmptyCursors.of(uri.getAuthority(), projection);
    }
    if (uri.getAuthority().equals("media") && !sees(uri)) {
      rows = rows.where("0");
    }
    String limit = uri.getQueryParameter("limit");
    if (limit != null && limit.matches("\\d{1,9}")) {
      order = (order == null ? "_id" : order) + " LIMIT " + limit;
    }
    MatrixCursor found =
        content.tables().query(uri.getAuthority(), rows, projection, selection, arguments, order);
    found.setNotificationUri(getContext().getContentResolver(), uri);
    return found;
  }

  /** What the media store answers from Android 10 on: its version, and how often it has changed. */
  @Override
  public Bundle call(String method, String argument, Bundle extras) {
    Bundle answer = new Bundle();
    switch (method) {
      case "get_version":
        answer.putString(Intent.EXTRA_TEXT, MediaRows.VERSION);
        return answer;
      case "get_generation":
        answer.putLong(Intent.EXTRA_INDEX, 1);
        return answer;
      default:
        return super.call(method, argument, extras);
    }
  }

  private boolean sees(Uri uri) {
    List<String> path = uri.getPathSegments();
    boolean isShared =
        path.size() > 1 && !path.get(0).equals("internal") && !path.get(0).equals("none");
    return !isShared
        || path.get(0).equals("picker")
        || content.isGranted(uri)
        || content.seesMedia(path.get(1));
  }

  private static Rows rows(Uri uri) {
    return ContentPaths.of(uri);
  }

  private Rows writable(Uri uri) {
    content.require(uri, /* writes= */ true);
    Rows rows = rows(uri);
    if (rows == null || rows.base() == null) {
      throw new UnsupportedOperationException("Unknown or unsupported URL: " + uri);
    }
    return rows;
  }

  @Override
  public String getType(Uri uri) {
    Rows rows = rows(uri);
    if (rows == null) {
      return null;
    }
    boolean isOne = uri.getPath() != null && uri.getPath().matches(".*/\\d+");
    String kind = "vnd.android.cursor." + (isOne ? "item/" : "dir/");
    switch (rows.table()) {
      case "people":
        boolean hasKey = uri.getPathSegments().contains("lookup");
        return hasKey ? "vnd.android.cursor.item/contact" : kind + "contact";
      case "details":
        return isOne ? content.tables().text(rows, "mimetype") : "vnd.android.cursor.dir/data";
      case "raw_contacts":
        return kind + "raw_contact";
      case "events":
        return kind + "event";
      case "calls":
        return kind + "calls";
      case "sms":
        return kind + "sms";
      case "files":
      case "images":
      case "video":
      case "audio":
      case "sounds":
      case "downloads":
        return isOne
            ? content.tables().text(rows, "mime_type")
            : "vnd.android.cursor.dir/" + rows.table();
      default:
        return null;
    }
  }

  @Override
  public Uri insert(Uri uri, ContentValues values) {
    Rows rows = writable(uri);
    ContentValues row = values == null ? new ContentValues() : new ContentValues(values);
    if (rows.base().equals("files")) {
      completeFile(rows.table(), row);
    }
    if (rows.table().equals("details")
        && rows.where() != null
        && !row.containsKey("raw_contact_id")) {
      row.put("raw_contact_id", rows.arguments().get(0));
    }
    Uri made = ContentUris.withAppendedId(uri, content.tables().insert(rows, row));
    content.grant(made);
    getContext().getContentResolver().notifyChange(uri, null);
    return made;
  }

  /** Names and places a new file as the media store does. */
  private static void completeFile(String table, ContentValues row) {
    String name = row.getAsString("_display_name");
    String path = row.getAsString("_data");
    String folder = row.getAsString("relative_path");
    if (path == null) {
      String usual =
          table.equals("video") ? "Movies" : table.equals("audio") ? "Music" : "Pictures";
      folder = folder == null ? usual : folder.replaceAll("/+$", "");
      String type = String.valueOf(row.getAsString("mime_type"));
      name = name == null ? "new" + (type.equals("image/png") ? ".png" : ".jpg") : name;
      path = PhoneContent.sharedRoot() + "/" + folder + "/" + name.replace('/', '_');
    }
    row.put("_data", path);
    row.put("_display_name", path.substring(path.lastIndexOf('/') + 1));
    int kind =
        table.equals("images") ? 1 : table.equals("audio") ? 2 : table.equals("video") ? 3 : 0;
    String type = row.getAsString("mime_type");
    row.put("media_type", kind == 0 && type != null ? ContentTables.mediaType(type) : kind);
  }

  @Override
  public int delete(Uri uri, String selection, String[] arguments) {
    int count = content.tables().delete(writable(uri), selection, arguments);
    getContext().getContentResolver().notifyChange(uri, null);
    return count;
  }

  @Override
  public int update(Uri uri, ContentValues values, String selection, String[] arguments) {
    int count = content.tables().update(writable(uri), values, selection, arguments);
    getContext().getContentResolver().notifyChange(uri, null);
    return count;
  }

  @Override
  public ParcelFileDescriptor openFile(Uri uri, String mode) throws FileNotFoundException {
    boolean writes = mode.contains("w");
    content.require(uri, writes);
    int access = ParcelFileDescriptor.parseMode(mode);
    if (uri.getAuthority().equals("com.android.contacts")) {
      return ParcelFileDescriptor.open(photo(uri), ParcelFileDescriptor.MODE_READ_ONLY);
    }
    Rows rows = rows(uri);
    boolean isMedia = uri.getAuthority().equals("media") && rows != null && sees(uri);
    String path = isMedia && rows.where() != null ? content.tables().text(rows, "_data") : null;
    if (path == null) {
      throw new FileNotFoundException("No item at " + uri);
    }
    File file = content.onHost(path);
    if (writes) {
      file.getParentFile().mkdirs();
    }
    return ParcelFileDescriptor.open(file, access);
  }

  private File photo(Uri uri) throws FileNotFoundException {
    Rows rows = rows(uri);
    String person = rows == null ? null : content.tables().text(rows, "contact_id");
    boolean asks = uri.getPath().endsWith("photo");
    Rows photo =
        new Rows("details", null)
            .where("contact_id = ?", String.valueOf(person))
            .where("mimetype = 'vnd.android.cursor.item/photo'");
    try (Cursor found =
        content.tables().query("", photo, new String[] {"data15"}, null, null, null)) {
      if (!asks || !found.moveToFirst()) {
        throw new FileNotFoundException("No photo for " + uri);
      }
      return content.hiddenFile("photo-" + person + ".jpg", found.getBlob(0));
    }
  }
}
