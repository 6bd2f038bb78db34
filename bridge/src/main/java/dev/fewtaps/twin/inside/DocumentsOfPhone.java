package dev.fewtaps.twin.inside;

import android.content.ContentProvider;
import android.content.ContentValues;
import android.database.Cursor;
import android.database.MatrixCursor;
import android.net.Uri;
import android.os.Bundle;
import android.os.ParcelFileDescriptor;
import android.provider.DocumentsContract;
import android.provider.DocumentsContract.Document;
import android.webkit.MimeTypeMap;
import java.io.File;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** The documents of the phone, as apps get them from a picker: files of the shared storage. */
public final class DocumentsOfPhone extends ContentProvider {
  static final String STORAGE = "com.android.externalstorage.documents";
  static final String DOWNLOADS = "com.android.providers.downloads.documents";
  static final String MEDIA = "com.android.providers.media.documents";
  static final List<String> AUTHORITIES = List.of(STORAGE, DOWNLOADS, MEDIA);

  private static final String[] COLUMNS = {
    Document.COLUMN_DOCUMENT_ID,
    Document.COLUMN_MIME_TYPE,
    Document.COLUMN_DISPLAY_NAME,
    Document.COLUMN_LAST_MODIFIED,
    Document.COLUMN_FLAGS,
    Document.COLUMN_SIZE,
  };

  private static final int FILE_FLAGS =
      Document.FLAG_SUPPORTS_WRITE | Document.FLAG_SUPPORTS_DELETE | Document.FLAG_SUPPORTS_RENAME;

  private final PhoneContent content;

  DocumentsOfPhone(PhoneContent content) {
    this.content = content;
  }

  @Override
  public boolean onCreate() {
    return true;
  }

  /** A document may be read if it, or a folder above it, was picked. */
  private void require(Uri uri) {
    content.require(uri, /* writes= */ false);
    if (content.isGranted(uri)) {
      return;
    }
    if (uri.getPathSegments().size() >= 2 && uri.getPathSegments().get(0).equals("tree")) {
      Uri tree =
          DocumentsContract.buildTreeDocumentUri(
              uri.getAuthority(), DocumentsContract.getTreeDocumentId(uri));
      if (content.isGranted(tree)) {
        return;
      }
    }
    throw new SecurityException(
        "Permission Denial: reading "
            + uri.getAuthority()
            + " uri "
            + uri
            + " from pid=2001, uid=10101 requires android.permission.MANAGE_DOCUMENTS,"
            + " or grantUriPermission()");
  }

  private File file(String id) throws FileNotFoundException {
    int colon = id.indexOf(':');
    String rest = id.substring(colon + 1);
    if (id.startsWith("primary:")) {
      return content.onHost(PhoneContent.sharedRoot() + "/" + rest);
    }
    String path =
        content
            .tables()
            .text(new ContentTables.Rows("files", null).where("_id = ?", rest), "_data");
    if (path == null) {
      throw new FileNotFoundException("No item at " + id);
    }
    return content.onHost(path);
  }

  @Override
  public Cursor query(
      Uri uri, String[] projection, String selection, String[] arguments, String order) {
    require(uri);
    MatrixCursor rows = new MatrixCursor(projection == null ? COLUMNS : projection);
    try {
      List<String> path = uri.getPathSegments();
      String id = path.size() < 2 ? "primary:" : DocumentsContract.getDocumentId(uri);
      if (path.get(path.size() - 1).equals("children")) {
        File[] children = file(id).listFiles();
        Arrays.sort(children == null ? new File[0] : children);
        for (File child : children == null ? new File[0] : children) {
          String separator = id.endsWith(":") ? "" : "/";
          add(rows, id + separator + child.getName(), child);
        }
      } else if (file(id).exists()) {
        add(rows, id, file(id));
      }
    } catch (FileNotFoundException e) {
      return rows;
    } catch (IllegalArgumentException e) {
      return new MatrixCursor(projection == null ? COLUMNS : projection);
    }
    return rows;
  }

  private static void add(MatrixCursor rows, String id, File file) {
    MatrixCursor.RowBuilder row = rows.newRow();
    boolean isFolder = file.isDirectory();
    row.add(Document.COLUMN_DOCUMENT_ID, id);
    row.add(Document.COLUMN_MIME_TYPE, typeOf(file));
    row.add(Document.COLUMN_DISPLAY_NAME, file.getName());
    row.add(Document.COLUMN_LAST_MODIFIED, file.lastModified());
    row.add(Document.COLUMN_FLAGS, isFolder ? Document.FLAG_DIR_SUPPORTS_CREATE : FILE_FLAGS);
    row.add(Document.COLUMN_SIZE, isFolder ? null : file.length());
  }

  private static String typeOf(File file) {
    if (file.isDirectory()) {
      return Document.MIME_TYPE_DIR;
    }
    for (PhoneFile known : PhoneFile.SHARED) {
      if (file.getPath().endsWith("/" + known.path())) {
        return known.type();
      }
    }
    String name = file.getName();
    String ending = name.substring(name.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT);
    String type = MimeTypeMap.getSingleton().getMimeTypeFromExtension(ending);
    return type == null ? "application/octet-stream" : type;
  }

  @Override
  public String getType(Uri uri) {
    try {
      require(uri);
      return typeOf(file(DocumentsContract.getDocumentId(uri)));
    } catch (FileNotFoundException | IllegalArgumentException e) {
      return null;
    }
  }

  @Override
  public ParcelFileDescriptor openFile(Uri uri, String mode) throws FileNotFoundException {
    require(uri);
    return ParcelFileDescriptor.open(
        file(DocumentsContract.getDocumentId(uri)), ParcelFileDescriptor.parseMode(mode));
  }

  /** Makes, renames and deletes documents; other requests are not answered. */
  @Override
  public Bundle call(String method, String argument, Bundle extras) {
    Uri uri = extras == null ? null : extras.getParcelable("uri");
    if (uri == null) {
      return null;
    }
    require(uri);
    Bundle answer = new Bundle();
    try {
      String id = DocumentsContract.getDocumentId(uri);
      File file = file(id);
      switch (method) {
        case "android:createDocument":
          String name = extras.getString(Document.COLUMN_DISPLAY_NAME);
          boolean isFolder =
              Document.MIME_TYPE_DIR.equals(extras.getString(Document.COLUMN_MIME_TYPE));
          File made = create(file, name == null ? "new" : name, isFolder);
          String separator = id.endsWith(":") ? "" : "/";
          answer.putParcelable("uri", sibling(uri, id + separator + made.getName()));
          return answer;
        case "android:deleteDocument":
          file.delete();
          return answer;
        case "android:renameDocument":
          File renamed =
              new File(file.getParentFile(), extras.getString(Document.COLUMN_DISPLAY_NAME, "new"));
          file.renameTo(renamed);
          answer.putParcelable(
              "uri", sibling(uri, id.replaceFirst("[^/:]*$", "") + renamed.getName()));
          return answer;
        default:
          return null;
      }
    } catch (IOException | IllegalArgumentException e) {
      return null;
    }
  }

  private Uri sibling(Uri uri, String id) {
    boolean isTree = uri.getPathSegments().get(0).equals("tree");
    Uri other =
        isTree
            ? DocumentsContract.buildDocumentUriUsingTree(uri, id)
            : DocumentsContract.buildDocumentUri(uri.getAuthority(), id);
    content.grant(other);
    return other;
  }

  /** Makes a file or folder with a name that is free, as a phone does: "a.txt", "a (1).txt". */
  static File create(File folder, String name, boolean isFolder) throws IOException {
    String safe = name.replace('/', '_');
    int dot = safe.lastIndexOf('.') > 0 ? safe.lastIndexOf('.') : safe.length();
    File made = new File(folder, safe);
    for (int i = 1; made.exists() && i < 100; i++) {
      made = new File(folder, safe.substring(0, dot) + " (" + i + ")" + safe.substring(dot));
    }
    folder.mkdirs();
    if (isFolder ? !made.mkdir() : !made.createNewFile()) {
      throw new IOException("cannot make " + safe);
    }
    return made;
  }

  @Override
  public Uri insert(Uri uri, ContentValues values) {
    throw new UnsupportedOperationException("Insert not supported");
  }

  @Override
  public int delete(Uri uri, String selection, String[] arguments) {
    throw new UnsupportedOperationException("Delete not supported");
  }

  @Override
  public int update(Uri uri, ContentValues values, String selection, String[] arguments) {
    throw new UnsupportedOperationException("Update not supported");
  }
}
