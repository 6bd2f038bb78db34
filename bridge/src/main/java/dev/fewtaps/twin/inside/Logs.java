package dev.fewtaps.twin.inside;

import android.util.Log;
import dev.fewtaps.twin.code.HookTable;
import dev.fewtaps.twin.code.StackCleaner;
import dev.fewtaps.twin.world.Causes;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.robolectric.shadows.ShadowLog;

/** The app's lines in Android's log, in the short form of logcat. */
final class Logs {
  private static final int MOST_LINES = 200;
  private static final int MOST_FRAMES = 100;
  private static final StackCleaner CLEANER = new StackCleaner(HookTable.standard());

  /**
   * Tags of the machinery around the app, and of finalizers: when those speak is the garbage
   * collector's choice, and they may speak of the run before.
   */
  private static final Set<String> NOT_THE_APPS =
      Set.of(
          "AssetManager",
          "CloseGuard",
          "CursorWrapperInner",
          "LifecycleMonitor",
          "MonitoringInstr",
          "PackageParser",
          "ResourceType",
          "SQLiteConnectionPool",
          "SystemFonts",
          "TelephonyManager",
          "TetheringManager",
          "Typeface");

  private static int seen;

  /** Lines of a process that is gone, not taken yet. */
  private static List<String> kept = List.of();

  private Logs() {}

  static void reset() {
    seen = 0;
  }

  /** Keeps the lines since the last call of {@link #take} although the framework forgets them. */
  static void keep() {
    kept = take();
  }

  /** Returns the lines since the last call; a flood is cut, with a line that says so. */
  static List<String> take() {
    List<ShadowLog.LogItem> items = ShadowLog.getLogs();
    int from = Math.min(seen, items.size());
    seen = items.size();
    List<String> lines = new ArrayList<>(kept);
    kept = List.of();
    for (ShadowLog.LogItem item : items.subList(from, items.size())) {
      // Android logs a missing tag as an empty one.
      String tag = item.tag == null ? "" : item.tag;
      if (NOT_THE_APPS.contains(tag)) {
        continue;
      }
      if (lines.size() >= MOST_LINES) {
        lines.add("… and " + (items.size() - from - MOST_LINES) + " more");
        break;
      }
      String start = letter(item.type) + "/" + Texts.shortened(tag) + ": ";
      String text = start + Texts.shortened(item.msg) + stack(item.throwable);
      lines.add(Texts.shortened(Texts.asOnPhone(text)));
    }
    return lines;
  }

  /**
   * The stack below a message as a phone logs it: none for an unknown host, which offline phones
   * log all the time.
   */
  private static String stack(Throwable error) {
    if (Causes.of(error).stream().anyMatch(UnknownHostException.class::isInstance)) {
      return "";
    }
    StringBuilder text = new StringBuilder();
    for (Map<String, Object> one : CLEANER.exceptions(error)) {
      text.append(text.length() == 0 ? "\n" : "\nCaused by: ").append(one.get("type"));
      if (one.get("message") != null) {
        text.append(": ").append(one.get("message"));
      }
      List<?> frames = (List<?>) one.get("frames");
      frames.stream()
          .limit(MOST_FRAMES)
          .forEach(frame -> text.append("\n\tat ").append(place((List<?>) frame)));
      if (frames.size() > MOST_FRAMES) {
        text.append("\n\t... ").append(frames.size() - MOST_FRAMES).append(" more");
      }
    }
    return text.toString();
  }

  private static String place(List<?> frame) {
    Object file = frame.get(2);
    int line = (int) frame.get(3);
    String where = file == null ? "Unknown Source" : line > 0 ? file + ":" + line : file.toString();
    return frame.get(0) + "." + frame.get(1) + "(" + (line == -2 ? "Native Method" : where) + ")";
  }

  private static char letter(int priority) {
    switch (priority) {
      case Log.VERBOSE:
        return 'V';
      case Log.DEBUG:
        return 'D';
      case Log.INFO:
        return 'I';
      case Log.WARN:
        return 'W';
      case Log.ERROR:
        return 'E';
      default:
        return 'F';
    }
  }
}
