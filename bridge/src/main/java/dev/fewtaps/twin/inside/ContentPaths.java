package dev.fewtaps.twin.inside;

import android.net.Uri;
import dev.fewtaps.twin.inside.ContentTables.Rows;
import java.util.List;

/** Says which rows of {@link ContentTables} a URI of the phone's own providers stands for. */
final class ContentPaths {
  private static final String PHONE = "vnd.android.cursor.item/phone_v2";
  private static final String EMAIL = "vnd.android.cursor.item/email_v2";

  /** Numbers are the same if this many digits at their end are. */
  private static final int COMPARED_DIGITS = 7;

  private ContentPaths() {}

  /** Returns the rows, or null if the phone knows no such path. */
  static Rows of(Uri uri) {
    String authority = String.valueOf(uri.getAuthority());
    List<String> path = uri.getPathSegments();
    switch (authority) {
      case "com.android.contacts":
        return contacts(path);
      case "com.android.calendar":
        return calendar(path);
      case "call_log":
        return at(path, 0).startsWith("calls") ? each(new Rows("calls", "calls"), path, 1) : null;
      case "sms":
        return sms(path);
      case "mms":
        return new Rows("no_messages", "no_messages");
      case "mms-sms":
        return threads(path);
      case "media":
        return media(path);
      default:
        return null;
    }
  }

  private static String at(List<String> path, int position) {
    return position < path.size() ? path.get(position) : "";
  }

  private static boolean isNumber(String text) {
    return !text.isEmpty() && text.length() < 19 && text.chars().allMatch(Character::isDigit);
  }

  /** All rows, or the one whose number is at this place of the path. */
  private static Rows each(Rows rows, List<String> path, int position) {
    String id = at(path, position);
    return isNumber(id) ? rows.where("_id = ?", id) : rows;
  }

  private static Rows contacts(List<String> path) {
    switch (at(path, 0)) {
      case "contacts":
        return people(path);
      case "data":
        return data(path);
      case "raw_contacts":
        return raw(path);
      case "raw_contact_entities":
        return new Rows("details", null);
      case "phone_lookup":
        return callers(at(path, 1));
      case "groups":
      case "groups_summary":
        return each(new Rows("groups", "groups"), path, 1);
      default:
        return new Rows("no_contacts", "no_contacts");
    }
  }

  private static Rows people(List<String> path) {
    Rows all = new Rows("people", "raw_contacts");
    String next = at(path, 1);
    if (isNumber(next)) {
      return part(all, "_id = ?", "contact_id = ?", next, at(path, 2));
    }
    switch (next) {
      case "lookup":
        String id = at(path, 3);
        return isNumber(id)
            ? part(all, "_id = ?", "contact_id = ?", id, at(path, 4))
            : part(all, "lookup = ?", "lookup = ?", at(path, 2), id);
      case "filter":
        return all.where("display_name LIKE '%' || ? || '%'", at(path, 2));
      case "starred":
        return all.where("starred = 1");
      case "strequent":
      case "frequent":
        return all.where("(starred = 1 OR times_contacted > 0)");
      case "group":
        return new Rows("people", null)
            .where("_id IN (SELECT contact_id FROM details WHERE data1 = ?)", at(path, 2));
      default:
        return all;
    }
  }

  /** A person, or what is known of the person. */
  private static Rows part(Rows people, String person, String owner, String id, String what) {
    switch (what) {
      case "data":
      case "entities":
        return new Rows("details", null).where(owner, id);
      case "photo":
        return new Rows("details", null)
            .where(owner, id)
            .where("mimetype = 'vnd.android.cursor.item/photo'");
      default:
        return people.where(person, id);
    }
  }

  private static Rows data(List<String> path) {
    Rows all = new Rows("details", "data_rows");
    String kind = at(path, 1);
    switch (kind) {
      case "phones":
      case "emails":
      case "postals":
      case "contactables":
      case "callables":
        Rows some = of(all, kind);
        String next = at(path, 2);
        if (next.equals("filter") || next.equals("lookup")) {
          return some.where(
              "(display_name LIKE '%' || ? || '%' OR data1 LIKE '%' || ? || '%')",
              at(path, 3), at(path, 3));
        }
        return each(some, path, 2);
      default:
        return each(all, path, 1);
    }
  }

  private static Rows of(Rows all, String kind) {
    switch (kind) {
      case "phones":
      case "callables":
        return all.where("mimetype = '" + PHONE + "'");
      case "emails":
        return all.where("mimetype = '" + EMAIL + "'");
      case "postals":
        return all.where("mimetype = 'vnd.android.cursor.item/postal-address_v2'");
      default:
        return all.where("mimetype IN ('" + PHONE + "', '" + EMAIL + "')");
    }
  }

  private static Rows raw(List<String> path) {
    String id = at(path, 1);
    boolean isPart = at(path, 2).equals("data") || at(path, 2).equals("entity");
    return isPart
        ? new Rows("details", "data_rows").where("raw_contact_id = ?", id)
        : each(new Rows("raw_contacts", "raw_contacts"), path, 1);
  }

  private static Rows callers(String number) {
    String digits = number.replaceAll("[^0-9]", "");
    Rows all = new Rows("phones", null);
    if (digits.isEmpty()) {
      return all.where("0");
    }
    int from = Math.max(0, digits.length() - COMPARED_DIGITS);
    return all.where("digits LIKE '%' || ?", digits.substring(from));
  }

  private static Rows calendar(List<String> path) {
    switch (at(path, 0)) {
      case "calendars":
        return each(new Rows("calendars", "calendars"), path, 1);
      case "events":
      case "event_entities":
        return each(new Rows("events", "own_events"), path, 1);
      case "instances":
        return instances(path);
      case "attendees":
        return each(new Rows("attendees", "attendees"), path, 1);
      case "reminders":
        return each(new Rows("reminders", "reminders"), path, 1);
      default:
        return new Rows("no_events", "no_events");
    }
  }

  private static Rows instances(List<String> path) {
    Rows all = new Rows("instances", null);
    String from = at(path, 2);
    String to = at(path, 3);
    if (!from.matches("-?\\d+") || !to.matches("-?\\d+")) {
      return all.where("0");
    }
    String[] bounds = {to, from};
    return at(path, 1).equals("whenbyday")
        ? all.where("startDay <= CAST(? AS INTEGER) AND endDay >= CAST(? AS INTEGER)", bounds)
        : all.where("begin <= CAST(? AS INTEGER) AND \"end\" >= CAST(? AS INTEGER)", bounds);
  }

  private static Rows sms(List<String> path) {
    Rows all = new Rows("sms", "sms");
    switch (at(path, 0)) {
      case "inbox":
        return each(all.where("type = 1"), path, 1);
      case "sent":
        return each(all.where("type = 2"), path, 1);
      case "draft":
        return each(all.where("type = 3"), path, 1);
      case "outbox":
        return each(all.where("type = 4"), path, 1);
      case "conversations":
        return isNumber(at(path, 1))
            ? all.where("thread_id = ?", at(path, 1))
            : new Rows("threads", null);
      default:
        return each(all, path, 0);
    }
  }

  private static Rows threads(List<String> path) {
    switch (at(path, 0)) {
      case "conversations":
        return isNumber(at(path, 1))
            ? new Rows("sms", "sms").where("thread_id = ?", at(path, 1))
            : new Rows("threads", null);
      case "canonical-addresses":
        return new Rows("addresses", null);
      case "canonical-address":
        return each(new Rows("addresses", null), path, 1);
      default:
        return new Rows("no_messages", null);
    }
  }

  private static Rows media(List<String> path) {
    String volume = at(path, 0);
    if (volume.equals("picker")) {
      return new Rows("files", null).where("_id = ?", at(path, path.size() - 1));
    }
    if (volume.equals("none")) {
      boolean isVersion = at(path, 1).equals("version");
      return new Rows(isVersion ? "media_version" : "media_fs", null);
    }
    if (volume.equals("internal")) {
      return at(path, 1).equals("audio") && at(path, 2).equals("media")
          ? each(new Rows("sounds", null), path, 3)
          : new Rows("no_media", "no_media");
    }
    String kind = at(path, 2);
    switch (at(path, 1)) {
      case "images":
        return each(
            kind.equals("thumbnails")
                ? new Rows("image_thumbnails", null)
                : new Rows("images", "files"),
            path,
            3);
      case "video":
        return each(
            kind.equals("thumbnails")
                ? new Rows("video_thumbnails", null)
                : new Rows("video", "files"),
            path,
            3);
      case "audio":
        return audio(path, kind);
      case "file":
        return each(new Rows("files", "files"), path, 2);
      case "downloads":
        return each(new Rows("downloads", "files"), path, 2);
      default:
        return new Rows("no_media", "no_media");
    }
  }

  private static Rows audio(List<String> path, String kind) {
    String id = at(path, 3);
    switch (kind) {
      case "albums":
      case "albumart":
        return each(new Rows("albums", null), path, 3);
      case "artists":
        return at(path, 4).equals("albums")
            ? new Rows("albums", null).where("artist_id = ?", id)
            : each(new Rows("artists", null), path, 3);
      case "genres":
        return each(new Rows("genres", null), path, 3);
      case "playlists":
        return at(path, 4).equals("members")
            ? new Rows("no_media", "no_media")
            : each(new Rows("playlists", "playlists"), path, 3);
      default:
        return each(new Rows("audio", "files"), path, 3);
    }
  }
}
