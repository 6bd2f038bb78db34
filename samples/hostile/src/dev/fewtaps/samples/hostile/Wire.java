package dev.fewtaps.samples.hostile;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;

/** Speaks in the twin's place. */
final class Wire {
  private static final int BLOCK = 1 << 20;
  private static final int MOST_MEGABYTES = 4096;
  private static final int HUGE_MEGABYTES = 200;

  private Wire() {}

  /** Answers the present request with this text, which is no step unless the target is one. */
  static void forge(Outcomes outcomes, String answer) {
    outcomes.attempt("answer in the twin's place", () -> {
      write("{\"id\":" + number() + ",\"ok\":" + answer + "}\n");
      return "answered";
    });
  }

  static void newlines(Outcomes outcomes) {
    outcomes.attempt("write newlines", () -> flood("", '\n', MOST_MEGABYTES));
  }

  static void endless(Outcomes outcomes) {
    outcomes.attempt("write an endless reply", () -> flood("{\"id\":" + number() + ",\"ok\":{\"a\":\"", 'a', MOST_MEGABYTES));
  }

  static void huge(Outcomes outcomes) {
    outcomes.attempt("write a huge reply", () -> {
      flood("{\"id\":" + number() + ",\"ok\":{\"a\":\"", 'a', HUGE_MEGABYTES);
      write("\"}}\n");
      return HUGE_MEGABYTES + " MB";
    });
  }

  /** The number of the present request, which the thread that watches it holds. */
  private static String number() throws Exception {
    for (Object thread : ((Object[]) Beyond.call(Beyond.type("java.lang.Thread"), "getThreads"))) {
      if ("fewtaps-watchdog".equals(Beyond.call(thread, "getName"))) {
        Object target = Beyond.anyField(thread, "target", "holder");
        if (target.getClass().getName().startsWith("java.lang.Thread")) {
          target = Beyond.field(target, "task");
        }
        Object watchdog = captured(target, "Watchdog");
        Object found = captured(Beyond.field(watchdog, "onExpiry"), "java.lang.String");
        return found.toString();
      }
    }
    throw new IOException("no watchdog");
  }

  private static Object captured(Object lambda, String type) throws Exception {
    for (Field field : lambda.getClass().getDeclaredFields()) {
      field.setAccessible(true);
      Object value = field.get(lambda);
      if (value != null && value.getClass().getName().endsWith(type)) {
        return value;
      }
    }
    throw new IOException(type);
  }

  private static String flood(String start, char letter, int megabytes) throws Exception {
    byte[] block = new byte[BLOCK];
    java.util.Arrays.fill(block, (byte) letter);
    OutputStream out = Beyond.standardOutput();
    out.write(start.getBytes(StandardCharsets.UTF_8));
    for (int written = 0; written < megabytes; written++) {
      out.write(block);
    }
    return megabytes + " MB";
  }

  private static void write(String text) throws Exception {
    OutputStream out = Beyond.standardOutput();
    out.write(text.getBytes(StandardCharsets.UTF_8));
  }
}
