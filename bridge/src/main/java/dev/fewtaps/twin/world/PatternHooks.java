package dev.fewtaps.twin.world;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * Regular expressions as Android's library reads them, where the JVM's reads them differently.
 *
 * <p>Android knows comments in a pattern, wants a closing brace to be escaped, and takes letters
 * and digits of all languages for such.
 */
public final class PatternHooks {
  private static final String PATTERN = "java/util/regex/Pattern";
  private static final String STRING = "java/lang/String";
  private static final String ARRAY = ")[Ljava/lang/String;";
  private static final String TEXT = "Ljava/lang/String;";
  private static final String META = ".$|()[{^?*+\\";
  private static final int UNICODE = Pattern.UNICODE_CASE | Pattern.UNICODE_CHARACTER_CLASS;

  private PatternHooks() {}

  @Replaces(owner = PATTERN, name = "compile", desc = "(" + TEXT + ")Ljava/util/regex/Pattern;")
  public static Pattern compile(String regex) {
    return compile(regex, 0);
  }

  @Replaces(owner = PATTERN, name = "compile", desc = "(" + TEXT + "I)Ljava/util/regex/Pattern;")
  public static Pattern compile(String regex, int flags) {
    if (Strand.here() == null || (flags & Pattern.LITERAL) != 0) {
      return Pattern.compile(regex, flags);
    }
    boolean plain = regex.indexOf('\\') < 0 && (flags & Pattern.CASE_INSENSITIVE) == 0;
    return Pattern.compile(asOnAndroid(regex, flags), plain ? flags : flags | UNICODE);
  }

  @Replaces(owner = PATTERN, name = "matches", desc = "(" + TEXT + "Ljava/lang/CharSequence;)Z")
  public static boolean matches(String regex, CharSequence input) {
    return compile(regex).matcher(input).matches();
  }

  @Replaces(owner = STRING, name = "matches", desc = "(" + TEXT + ")Z")
  public static boolean matches(String text, String regex) {
    return compile(regex).matcher(text).matches();
  }

  @Replaces(owner = STRING, name = "replaceAll", desc = "(" + TEXT + TEXT + ")" + TEXT)
  public static String replaceAll(String text, String regex, String replacement) {
    return compile(regex).matcher(text).replaceAll(replacement);
  }

  @Replaces(owner = STRING, name = "replaceFirst", desc = "(" + TEXT + TEXT + ")" + TEXT)
  public static String replaceFirst(String text, String regex, String replacement) {
    return compile(regex).matcher(text).replaceFirst(replacement);
  }

  @Replaces(owner = STRING, name = "split", desc = "(" + TEXT + ARRAY)
  public static String[] split(String text, String regex) {
    return split(text, regex, 0);
  }

  @Replaces(owner = STRING, name = "split", desc = "(" + TEXT + "I" + ARRAY)
  public static String[] split(String text, String regex, int limit) {
    boolean simple =
        regex.length() == 1 && META.indexOf(regex.charAt(0)) < 0 && regex.charAt(0) != '}';
    return simple ? text.split(regex, limit) : compile(regex).split(text, limit);
  }

  /** The same pattern for the JVM; refuses what Android refuses. */
  static String asOnAndroid(String regex, int flags) {
    if (regex.indexOf('}') < 0 && !regex.contains("(?#")) {
      return regex;
    }
    return new Reader(regex, flags).read();
  }

  /** Walks over a pattern, knowing just enough to tell a brace of its grammar from a letter. */
  private static final class Reader {
    private static final Pattern LOOSE = Pattern.compile("\\(\\?[a-z]*x");

    private final String regex;
    private final StringBuilder out;
    private final boolean comments;
    private int at;

    Reader(String regex, int flags) {
      this.regex = regex;
      this.out = new StringBuilder(regex.length());
      Matcher inline = LOOSE.matcher(regex);
      this.comments = (flags & Pattern.COMMENTS) != 0 || inline.find();
    }

    String read() {
      int depth = 0;
      while (at < regex.length()) {
        char c = regex.charAt(at);
        if (c == '\\') {
          copyEscape();
        } else if (depth > 0) {
          depth += c == '[' ? 1 : c == ']' ? -1 : 0;
          copyTo(at + 1);
        } else if (c == '[') {
          depth = 1;
          copyTo(at + 1);
          copyFirstOfSet();
        } else if (regex.startsWith("(?#", at)) {
          int end = regex.indexOf(')', at);
          at = end < 0 ? regex.length() : end + 1;
        } else if (c == '{') {
          copyThrough('}');
        } else if (c == '#' && comments) {
          copyThrough('\n');
        } else if (c == '}') {
          throw new PatternSyntaxException("Syntax error U_REGEX_RULE_SYNTAX", regex, at + 1);
        } else {
          copyTo(at + 1);
        }
      }
      return out.toString();
    }

    /** A bracket at the very beginning of a set is a letter of it. */
    private void copyFirstOfSet() {
      if (at < regex.length() && regex.charAt(at) == '^') {
        copyTo(at + 1);
      }
      if (at < regex.length() && regex.charAt(at) == ']') {
        copyTo(at + 1);
      }
    }

    private void copyEscape() {
      char escaped = at + 1 < regex.length() ? regex.charAt(at + 1) : 0;
      if (escaped == 'Q') {
        int end = regex.indexOf("\\E", at);
        copyTo(end < 0 ? regex.length() : end + 2);
        return;
      }
      copyTo(at + 2);
      boolean named = "pPxNkgo".indexOf(escaped) >= 0;
      if (named && at < regex.length() && regex.charAt(at) == '{') {
        copyThrough('}');
      }
    }

    private void copyThrough(char last) {
      int end = regex.indexOf(last, at);
      copyTo(end < 0 ? regex.length() : end + 1);
    }

    private void copyTo(int end) {
      int limit = Math.min(end, regex.length());
      out.append(regex, at, limit);
      at = limit;
    }
  }
}
