package dev.fewtaps.twin.code;

import dev.fewtaps.twin.world.Causes;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Words the messages of the JVM's own exceptions as Android does.
 *
 * <p>The JVM's name class loaders and variables of translated code, which differ from run to run.
 */
public final class Messages {
  private static final Map<Pattern, String> NULL_POINTER = new LinkedHashMap<>();
  private static final Pattern CALL =
      Pattern.compile("Cannot invoke \"(.*?)\"(?: because .*)?", Pattern.DOTALL);
  private static final Pattern CAST =
      Pattern.compile(
          "(?:class )?(\\S+) cannot be cast to (?:class )?(\\S+)(?: \\(.*\\))?", Pattern.DOTALL);
  private static final Pattern INDEX =
      Pattern.compile("Index (-?\\d+) out of bounds for length (\\d+)");
  private static final Pattern REGION =
      Pattern.compile("begin (-?\\d+), end (-?\\d+), length (\\d+)");
  private static final Pattern CHARACTER = Pattern.compile("index (-?\\d+),? length (\\d+)");

  /** What the JVM says of a class that a class refers to and that is not there. */
  private static final Pattern CLASS = Pattern.compile("[^\\s/:;\\[]+(?:/[^\\s/:;\\[]+)*");

  private static final Pattern LOADER =
      Pattern.compile(" \\([^()]*loader '?[^()]*@[0-9a-f]+[^()]*\\)");

  static {
    NULL_POINTER.put(
        Pattern.compile("Cannot read field \"(.*?)\"(?: because .*)?", Pattern.DOTALL),
        "Attempt to read from field '$1' on a null object reference");
    NULL_POINTER.put(
        Pattern.compile("Cannot assign field \"(.*?)\"(?: because .*)?", Pattern.DOTALL),
        "Attempt to write to field '$1' on a null object reference");
    NULL_POINTER.put(
        Pattern.compile("Cannot read the array length.*", Pattern.DOTALL),
        "Attempt to get length of null array");
    NULL_POINTER.put(
        Pattern.compile("Cannot load from \\w+ array.*", Pattern.DOTALL),
        "Attempt to read from null array");
    NULL_POINTER.put(
        Pattern.compile("Cannot store to \\w+ array.*", Pattern.DOTALL),
        "Attempt to write to null array");
    NULL_POINTER.put(
        Pattern.compile("Cannot throw exception.*", Pattern.DOTALL), "throw with null exception");
    NULL_POINTER.put(
        Pattern.compile("Cannot enter synchronized block.*", Pattern.DOTALL),
        "Null reference used for synchronization (monitor-enter)");
  }

  private Messages() {}

  /**
   * Returns the message that Android would give, which is the exception's own in most cases.
   *
   * <p>Many exceptions repeat the message of their cause.
   */
  public static String asOnAndroid(Throwable error) {
    String message = worded(error);
    if (message == null) {
      return null;
    }
    for (Throwable cause : Causes.of(error)) {
      String before = of(cause);
      if (cause != error && before != null && !before.isEmpty()) {
        message = message.replace(before, worded(cause));
      }
    }
    return message;
  }

  private static String worded(Throwable error) {
    String message = of(error);
    if (message == null) {
      return null;
    }
    if (error.getClass() == NullPointerException.class) {
      Matcher call = CALL.matcher(message);
      if (call.matches()) {
        return NullCall.message(call.group(1));
      }
      for (Map.Entry<Pattern, String> wording : NULL_POINTER.entrySet()) {
        Matcher matcher = wording.getKey().matcher(message);
        if (matcher.matches()) {
          return matcher.replaceFirst(wording.getValue());
        }
      }
    } else if (error.getClass() == ClassCastException.class) {
      Matcher cast = CAST.matcher(message);
      return cast.matches() ? cast.group(1) + " cannot be cast to " + cast.group(2) : message;
    } else if (error instanceof IndexOutOfBoundsException) {
      return index(error, message);
    } else if (error.getClass() == ArithmeticException.class && message.equals("/ by zero")) {
      return "divide by zero";
    } else if (error.getClass() == NoClassDefFoundError.class && CLASS.matcher(message).matches()) {
      return "Failed resolution of: L" + message + ";";
    }
    return withoutLoaders(message);
  }

  /** Returns the exception's message, or null if its class is the app's and fails to tell. */
  static String of(Throwable error) {
    try {
      return error.getMessage();
    } catch (RuntimeException | StackOverflowError | LinkageError broken) {
      return null;
    }
  }

  private static String index(Throwable error, String message) {
    Matcher index = INDEX.matcher(message);
    if (!index.matches()) {
      return error.getClass() == StringIndexOutOfBoundsException.class ? text(message) : message;
    }
    if (error.getClass() == StringIndexOutOfBoundsException.class) {
      return "length=" + index.group(2) + "; index=" + index.group(1);
    }
    if (error.getClass() == ArrayIndexOutOfBoundsException.class) {
      return "length=" + index.group(2) + "; index=" + index.group(1);
    }
    if (error.getClass() == IndexOutOfBoundsException.class) {
      return "Index: " + index.group(1) + ", Size: " + index.group(2);
    }
    return message;
  }

  private static String text(String message) {
    Matcher region = REGION.matcher(message);
    if (region.matches()) {
      int begin = Integer.parseInt(region.group(1));
      int size = Integer.parseInt(region.group(2)) - begin;
      return "length=" + region.group(3) + "; regionStart=" + begin + "; regionLength=" + size;
    }
    Matcher character = CHARACTER.matcher(message);
    return character.matches()
        ? "length=" + character.group(2) + "; index=" + character.group(1)
        : message;
  }

  /** Removes what the JVM says about class loaders, whose numbers differ in each run. */
  public static String withoutLoaders(String text) {
    return text.indexOf("loader ") < 0 ? text : LOADER.matcher(text).replaceAll("");
  }
}
