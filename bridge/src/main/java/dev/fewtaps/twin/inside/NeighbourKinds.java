package dev.fewtaps.twin.inside;

import android.content.Intent;
import java.util.List;
import java.util.Map;

/** Which kind of neighbour app answers an intent, so that a phone can lack one kind by itself. */
final class NeighbourKinds {
  /** The kinds, named as in the request to launch. */
  static final List<String> ALL =
      List.of(
          "browser",
          "calendar",
          "camera",
          "clock",
          "dialler",
          "files",
          "gallery",
          "mail",
          "maps",
          "market");

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
          Map.entry("market", "market"));

  private NeighbourKinds() {}

  /** Returns the kind of app that the intent is for, or null if it is none of them. */
  static String of(Intent intent) {
    String action = intent.getAction();
    String byAction = action == null ? null : BY_ACTION.get(action);
    if (byAction != null) {
      return byAction;
    }
    String byScheme = intent.getScheme() == null ? null : BY_SCHEME.get(intent.getScheme());
    return byScheme != null ? byScheme : byType(intent);
  }

  private static String byType(Intent intent) {
    String type = String.valueOf(intent.getType());
    String data = String.valueOf(intent.getData());
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
