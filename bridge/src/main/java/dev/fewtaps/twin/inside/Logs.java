package dev.fewtaps.twin.inside;

import android.util.Log;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.robolectric.shadows.ShadowLog;

/** What the app writes to Android's log, in the short form of logcat. */
final class Logs {
  private static final int MOST_LINES = 200;

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
          "ResourceType",
          "SQLiteConnectionPool",
          "SystemFonts",
          "TelephonyManager",
          "TetheringManager",
          "Typeface");

  private static int seen;

  private Logs() {}

  static void reset() {
    seen = 0;
  }

  /** Returns the lines since the last call; a flood is cut, with a line that says so. */
  static List<String> take() {
    List<ShadowLog.LogItem> items = ShadowLog.getLogs();
    int from = Math.min(seen, items.size());
    seen = items.size();
    List<String> lines = new ArrayList<>();
    for (ShadowLog.LogItem item : items.subList(from, items.size())) {
      if (NOT_THE_APPS.contains(item.tag)) {
        continue;
      }
      if (lines.size() == MOST_LINES) {
        lines.add("… and " + (items.size() - from - MOST_LINES) + " more");
        break;
      }
      lines.add(Texts.withoutHashes(letter(item.type) + "/" + item.tag + ": " + item.msg));
    }
    return lines;
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
