package dev.fewtaps.twin;

import com.google.gson.JsonObject;
import dev.fewtaps.twin.code.Mutants;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.InvocationTargetException;

/** Describes exceptions of the bridge for the other side, as the {@code error} of a reply. */
final class Failures {
  /** Characters of a stack that are sent. An endless recursion has some hundred thousand. */
  static final int STACK_LIMIT = 20_000;

  /** How many of them come from the end of the stack, where the first cause stands. */
  private static final int STACK_END = 8_000;

  private Failures() {}

  /** Returns kind, message (one line) and stack of a failure. Never throws an exception. */
  static JsonObject describe(Throwable failure) {
    Throwable cause = failure;
    while (cause instanceof InvocationTargetException && cause.getCause() != null) {
      cause = cause.getCause();
    }
    JsonObject error = new JsonObject();
    error.addProperty("kind", kindOf(cause));
    error.addProperty("message", messageOf(cause));
    error.addProperty("stack", shortened(stackOf(cause)));
    return error;
  }

  private static String kindOf(Throwable cause) {
    if (cause instanceof IllegalArgumentException) {
      return "usage";
    }
    if (cause instanceof Mutants.NotViable) {
      return "unviable";
    }
    return cause instanceof UnsupportedOperationException ? "unsupported" : "internal";
  }

  private static String messageOf(Throwable cause) {
    String name = cause.getClass().getSimpleName();
    try {
      String message = cause.getMessage();
      return message == null ? name : message.lines().findFirst().orElse("");
    } catch (RuntimeException broken) {
      // The class may be the app's, and its getMessage() the app's code.
      return name;
    }
  }

  private static String stackOf(Throwable cause) {
    StringWriter text = new StringWriter();
    try {
      cause.printStackTrace(new PrintWriter(text));
    } catch (RuntimeException broken) {
      // printStackTrace() calls methods that the app may have overridden; frames cannot be.
      text.append(cause.getClass().getName()).append('\n');
      for (StackTraceElement frame : cause.getStackTrace()) {
        text.append("\tat ").append(frame.toString()).append('\n');
      }
    }
    return text.toString();
  }

  /** Returns the beginning and the end of a stack that is longer than {@link #STACK_LIMIT}. */
  private static String shortened(String stack) {
    if (stack.length() <= STACK_LIMIT) {
      return stack;
    }
    int leftOut = stack.length() - STACK_LIMIT;
    return stack.substring(0, STACK_LIMIT - STACK_END)
        + "\n\t… "
        + leftOut
        + " characters left out …\n"
        + stack.substring(stack.length() - STACK_END);
  }
}
