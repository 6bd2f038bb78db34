package dev.fewtaps.twin.inside;

import android.content.Intent;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Which kind of neighbour app answers an intent, so that a phone can lack one kind by itself. */
final class NeighbourKinds {
  /** The kinds, named as in the request to launch. */
  static final List<String> ALL =
      List.of(
          "browser",
          "calendar",
          "camera",
          "clock",
          "contacts",
          "dialler",
          "files",
          "gallery",
          "keys",
          "mail",
          "maps",
          "market",
          "music",
          "recorder",
          "sms",
          "speech");

  private static final Map<String, String> BY_ACTION =
      Map.ofEntries(
          Map.entry(Intent.ACTION_DIAL, "dialler"),
          Map.entry(Intent.ACTION_CALL, "dialler"),
          Map.entry(Intent.ACTION_WEB_SEARCH, "browser"),
          Map.entry(Intent.ACTION_OPEN_DOCUMENT, "files"),
          Map.entry(Intent.ACTION_OPEN_DOCUMENT_TREE, "files"),
          Map.entry(Intent.ACTION_CREATE_DOCUMENT, "files"),
          Map.entry("android.media.action.IMAGE_CAPTURE", "camera"),
          Map.entry("android.media.action.VIDEO_CAPTURE", "camera"),
          Map.entry("android.media.action.STILL_IMAGE_CAMERA", "camera"),
          Map.entry("android.intent.action.SET_ALARM", "clock"),
          Map.entry("android.intent.action.SET_TIMER", "clock"),
          Map.entry("android.intent.action.SHOW_ALARMS", "clock"),
          Map.entry("android.intent.action.SHOW_TIMERS", "clock"),
          Map.entry(Intent.ACTION_INSERT_OR_EDIT, "contacts"),
          Map.entry("com.android.contacts.action.SHOW_OR_CREATE_CONTACT", "contacts"),
          Map.entry("android.provider.action.QUICK_CONTACT", "contacts"),
          Map.entry("com.android.keychain.CHOOSER", "keys"),
          Map.entry("android.credentials.INSTALL", "keys"),
          Map.entry("android.intent.action.MUSIC_PLAYER", "music"),
          Map.entry("android.intent.action.MEDIA_SEARCH", "music"),
          Map.entry("android.media.action.MEDIA_PLAY_FROM_SEARCH", "music"),
          Map.entry("android.provider.MediaStore.RECORD_SOUND", "recorder"),
          Map.entry("android.speech.action.RECOGNIZE_SPEECH", "speech"),
          Map.entry("android.speech.action.WEB_SEARCH", "speech"),
          Map.entry("android.provider.action.PICK_IMAGES", "gallery"));

  private static final Map<String, String> BY_SCHEME =
      Map.ofEntries(
          Map.entry("http", "browser"),
          Map.entry("https", "browser"),
          Map.entry("geo", "maps"),
          Map.entry("google.navigation", "maps"),
          Map.entry("tel", "dialler"),
          Map.entry("voicemail", "dialler"),
          Map.entry("mailto", "mail"),
          Map.entry("market", "market"),
          Map.entry("sms", "sms"),
          Map.entry("smsto", "sms"),
          Map.entry("mms", "sms"),
          Map.entry("mmsto", "sms"));

  /** The apps that are started without data, as a launcher does. */
  private static final Map<String, String> BY_CATEGORY =
      Map.ofEntries(
          Map.entry(Intent.CATEGORY_APP_BROWSER, "browser"),
          Map.entry(Intent.CATEGORY_APP_CALENDAR, "calendar"),
          Map.entry(Intent.CATEGORY_APP_CONTACTS, "contacts"),
          Map.entry(Intent.CATEGORY_APP_EMAIL, "mail"),
          Map.entry(Intent.CATEGORY_APP_GALLERY, "gallery"),
          Map.entry(Intent.CATEGORY_APP_MAPS, "maps"),
          Map.entry(Intent.CATEGORY_APP_MARKET, "market"),
          Map.entry(Intent.CATEGORY_APP_MESSAGING, "sms"),
          Map.entry(Intent.CATEGORY_APP_MUSIC, "music"));

  private NeighbourKinds() {}

  /** Returns the kind of app that the intent is for, or null if it is none of them. */
  static String of(Intent intent) {
    String action = intent.getAction();
    String byAction = action == null ? null : BY_ACTION.get(action);
    if (byAction != null) {
      return byAction;
    }
    String byScheme = intent.getScheme() == null ? null : BY_SCHEME.get(intent.getScheme());
    if (byScheme != null) {
      return byScheme;
    }
    for (String category :
        intent.getCategories() == null ? Set.<String>of() : intent.getCategories()) {
      if (BY_CATEGORY.containsKey(category)) {
        return BY_CATEGORY.get(category);
      }
    }
    return byType(intent);
  }

  private static String byType(Intent intent) {
    String type = String.valueOf(intent.getType());
    String data = String.valueOf(intent.getData());
    if (type.equals("vnd.android-dir/mms-sms")) {
      return "sms";
    }
    if (type.matches(
            "vnd\\.android\\.cursor\\.(dir|item)/(raw_)?(contact|person|phone|email|postal).*")
        || data.startsWith("content://com.android.contacts")
        || data.startsWith("content://contacts")) {
      return "contacts";
    }
    boolean opens = !Intent.ACTION_GET_CONTENT.equals(intent.getAction());
    if (opens && (type.startsWith("audio/") || data.matches("content://media/\\w+/audio/.*"))) {
      return "music";
    }
    if (type.startsWith("image/")
        || type.startsWith("video/")
        || data.startsWith("content://media/")) {
      return "gallery";
    }
    if (type.equals("message/rfc822")) {
      return "mail";
    }
    if (type.startsWith("vnd.android.cursor.") && type.endsWith("/event")
        || data.startsWith("content://com.android.calendar/")) {
      return "calendar";
    }
    return Intent.ACTION_GET_CONTENT.equals(intent.getAction()) ? "files" : null;
  }
}
