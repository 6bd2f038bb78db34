package dev.fewtaps.twin.inside;

import java.nio.file.Path;
import java.util.regex.Pattern;

/** Changes to texts that leave the twin. */
final class Texts {
  /** Characters of a log line or message that are sent; an app may make it of megabytes. */
  static final int LONGEST = 20_000;

  /** An object's default name: after @, or after { in the framework's own way of naming things. */
  private static final Pattern HASH = Pattern.compile("(?<=[@{])[0-9a-f]{5,8}(?![0-9A-Za-z])");

  private static String root = "";

  private Texts() {}

  /** Says below which folder of the host the phone's files are. */
  static void setRoot(Path folder) {
    root = folder.getNameCount() == 0 ? "" : folder.toString();
  }

  /** Returns the beginning of a text that is longer than {@link #LONGEST}. */
  static String shortened(String text) {
    if (text == null || text.length() <= LONGEST) {
      return text;
    }
    // Half of a character that takes two places would be none.
    int end = Character.isHighSurrogate(text.charAt(LONGEST - 1)) ? LONGEST - 1 : LONGEST;
    return text.substring(0, end) + "… (" + (text.length() - end) + " more characters)";
  }

  /** Returns a message as a phone has it: its own paths, and no hash codes. */
  static String asOnPhone(String text) {
    String shown = withoutHashes(text);
    return shown == null || root.isEmpty() ? shown : shown.replace(root, "");
  }

  /** Hides the JVM's hash codes, which differ from run to run and mean nothing. */
  static String withoutHashes(String text) {
    return text == null || (text.indexOf('@') < 0 && text.indexOf('{') < 0)
        ? text
        : HASH.matcher(text).replaceAll("0");
  }
}
