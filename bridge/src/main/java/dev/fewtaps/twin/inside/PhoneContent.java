package dev.fewtaps.twin.inside;

import android.accounts.Account;
import android.accounts.AccountManager;
import android.app.Application;
import android.content.pm.PackageManager;
import android.net.Uri;
import android.os.Build;
import android.os.Environment;
import java.io.File;
import java.io.FileNotFoundException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.robolectric.Shadows;

/**
 * What is on the phone besides the app: files, people, appointments, messages, accounts.
 *
 * <p>A furnished phone has the same of it in every run and world; an empty one has the tables
 * without rows, and no files.
 */
final class PhoneContent {
  /** The account of the phone's owner. */
  static final Account ACCOUNT = new Account("sam@example.com", "com.example.mail");

  private static final int ANDROID_10 = 29;
  private static final int ANDROID_13 = 33;

  private static final Map<String, String[]> PERMISSIONS =
      Map.of(
          "com.android.contacts",
          new String[] {"android.permission.READ_CONTACTS", "android.permission.WRITE_CONTACTS"},
          "com.android.calendar",
          new String[] {"android.permission.READ_CALENDAR", "android.permission.WRITE_CALENDAR"},
          "call_log",
          new String[] {"android.permission.READ_CALL_LOG", "android.permission.WRITE_CALL_LOG"},
          "sms",
          new String[] {"android.permission.READ_SMS", null},
          "mms",
          new String[] {"android.permission.READ_SMS", null},
          "mms-sms",
          new String[] {"android.permission.READ_SMS", null});

  private static final String[] STORAGE = {
    "android.permission.READ_EXTERNAL_STORAGE", "android.permission.WRITE_EXTERNAL_STORAGE"
  };

  private final boolean furnished;
  private final Path hidden;
  private final List<String> granted = new ArrayList<>();
  private final List<String> revoked = new ArrayList<>();
  private Application application;
  private ContentTables tables;

  PhoneContent(Settings settings) {
    furnished = settings.isFurnished;
    hidden = settings.data.resolve("phone").resolve("content");
  }

  boolean isFurnished() {
    return furnished;
  }

  /** Puts accounts on the phone, before the app's first line runs; the files are there already. */
  void install(Application app) {
    application = app;
    tables = new ContentTables(furnished, sharedRoot().getPath());
    if (furnished && seesAccounts()) {
      showAccount();
    }
  }

  /** From Android 8 on an app sees an account only after the user has chosen it for the app. */
  private boolean seesAccounts() {
    boolean isOld =
        Build.VERSION.SDK_INT < Build.VERSION_CODES.O
            || application.getApplicationInfo().targetSdkVersion < Build.VERSION_CODES.O;
    return isOld
        && application.checkSelfPermission("android.permission.GET_ACCOUNTS")
            == PackageManager.PERMISSION_GRANTED;
  }

  /** Lets the app see the owner's account. */
  void showAccount() {
    AccountManager accounts = AccountManager.get(application);
    if (accounts.getAccountsByType(ACCOUNT.type).length == 0) {
      Shadows.shadowOf(accounts).addAccount(ACCOUNT);
    }
  }

  ContentTables tables() {
    return tables;
  }

  /** Frees what the run took; the files go with the phone's storage. */
  void close() {
    if (tables != null) {
      tables.close();
    }
  }

  static File sharedRoot() {
    return Environment.getExternalStorageDirectory();
  }

  // ---- rights to read

  /** Another app has handed out this URI, and what lies below it. */
  synchronized void grant(Uri uri) {
    granted.add(uri.toString());
  }

  /** The right to read this URI has ended. */
  synchronized void revoke(Uri uri) {
    revoked.add(uri.toString());
  }

  synchronized boolean isGranted(Uri uri) {
    String text = uri.toString();
    return granted.stream().anyMatch(each -> text.equals(each) || text.startsWith(each + "/"));
  }

  /** Throws a phone's exception if the app may not read, or write, what the URI stands for. */
  void require(Uri uri, boolean writes) {
    synchronized (this) {
      if (revoked.contains(uri.toString())) {
        throw denial(uri, writes, null);
      }
    }
    if (isGranted(uri)) {
      return;
    }
    String permission = permission(uri, writes);
    if (permission != null
        && application.checkSelfPermission(permission) != PackageManager.PERMISSION_GRANTED) {
      throw denial(uri, writes, permission);
    }
  }

  /** What the media store tells without a permission: sounds of the phone, and of itself. */
  private static final List<String> OPEN_TO_ALL = List.of("internal", "none");

  /** From Android 10 on the media store asks for no permission: it shows what the app may see. */
  private static String permission(Uri uri, boolean writes) {
    String authority = String.valueOf(uri.getAuthority());
    boolean isShared =
        authority.equals("media") && Collections.disjoint(uri.getPathSegments(), OPEN_TO_ALL);
    String[] both =
        isShared && Build.VERSION.SDK_INT < ANDROID_10 ? STORAGE : PERMISSIONS.get(authority);
    return both == null ? null : both[writes ? 1 : 0];
  }

  /** Whether the app sees the media of other apps, by kind: image, video, audio. */
  boolean seesMedia(String kind) {
    if (Build.VERSION.SDK_INT < ANDROID_10) {
      return true;
    }
    boolean isFine =
        Build.VERSION.SDK_INT >= ANDROID_13
            && application.getApplicationInfo().targetSdkVersion >= ANDROID_13;
    String permission =
        !isFine
            ? "android.permission.READ_EXTERNAL_STORAGE"
            : kind.equals("images")
                ? "android.permission.READ_MEDIA_IMAGES"
                : kind.equals("video")
                    ? "android.permission.READ_MEDIA_VIDEO"
                    : "android.permission.READ_MEDIA_AUDIO";
    return application.checkSelfPermission(permission) == PackageManager.PERMISSION_GRANTED;
  }

  /** In a phone's words. The numbers of process and user are the same in every run. */
  private static SecurityException denial(Uri uri, boolean writes, String permission) {
    return new SecurityException(
        "Permission Denial: "
            + (writes ? "writing " : "reading ")
            + provider(String.valueOf(uri.getAuthority()))
            + " uri "
            + uri
            + " from pid=2001, uid=10101 requires "
            + (permission == null ? "the provider be exported" : permission)
            + ", or grantUriPermission()");
  }

  private static String provider(String authority) {
    switch (authority) {
      case "com.android.contacts":
        return "com.android.providers.contacts.ContactsProvider2";
      case "call_log":
        return "com.android.providers.contacts.CallLogProvider";
      case "com.android.calendar":
        return "com.android.providers.calendar.CalendarProvider2";
      case "media":
        return "com.android.providers.media.MediaProvider";
      case "sms":
        return "com.android.providers.telephony.SmsProvider";
      case "mms-sms":
        return "com.android.providers.telephony.MmsSmsProvider";
      default:
        return authority;
    }
  }

  // ---- bytes

  /** The file on the host behind a path that the media store names. */
  File onHost(String path) throws FileNotFoundException {
    if (path == null) {
      throw new FileNotFoundException("no file");
    }
    for (PhoneFile sound : PhoneFile.SOUNDS) {
      if (sound.path().equals(path)) {
        File file = hidden.resolve(path.substring(1)).toFile();
        if (!file.exists()) {
          sound.write(hidden);
        }
        return file;
      }
    }
    String root = sharedRoot().getPath() + "/";
    if (!path.startsWith(root) || List.of(path.split("/")).contains("..")) {
      throw new FileNotFoundException(path + ": open failed: EACCES (Permission denied)");
    }
    return new File(path);
  }

  /** A file that no path of the phone leads to, with these bytes. */
  File hiddenFile(String name, byte[] bytes) {
    new PhoneFile(0, name, "", bytes, null, 0, null).write(hidden);
    return hidden.resolve(name).toFile();
  }
}
