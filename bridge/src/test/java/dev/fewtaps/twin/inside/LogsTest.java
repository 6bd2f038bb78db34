package dev.fewtaps.twin.inside;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.net.UnknownHostException;
import java.util.List;
import org.junit.Before;
import org.junit.Test;
import org.robolectric.shadows.ShadowLog;
import org.robolectric.util.ReflectionHelpers;
import org.robolectric.util.ReflectionHelpers.ClassParameter;

public class LogsTest {
  @Before
  public void reset() {
    ShadowLog.reset();
    Logs.reset();
  }

  /** Calls {@code Log.d} and its like, as they are behind Robolectric's back. */
  private static void log(String method, String tag, String message, Throwable error) {
    ReflectionHelpers.callStaticMethod(
        ShadowLog.class,
        method,
        ClassParameter.from(String.class, tag),
        ClassParameter.from(String.class, message),
        ClassParameter.from(Throwable.class, error));
  }

  @Test
  public void linesHaveTheShortFormOfLogcat() {
    log("d", "Tag", "hello", null);
    log("e", "Tag", "java.lang.Object@1b2c3d4e", null);
    assertEquals(List.of("D/Tag: hello", "E/Tag: java.lang.Object@0"), Logs.take());
    assertEquals(List.of(), Logs.take());
  }

  @Test
  public void whatTheMachineryLogsIsLeftOut() {
    log("w", "CloseGuard", "a resource was not closed", null);
    log("i", "Mine", "kept", null);
    assertEquals(List.of("I/Mine: kept"), Logs.take());
  }

  @Test
  public void aMissingTagIsLoggedAsAnEmptyOne() {
    log("d", null, "no tag", null);
    log("d", null, null, new Unhelpful());
    List<String> lines = Logs.take();
    assertEquals("D/: no tag", lines.get(0));
    assertTrue(lines.get(1), lines.get(1).startsWith("D/: null\n" + Unhelpful.class.getName()));
  }

  /** An exception of an app, of which no method can be called. */
  private static final class Unhelpful extends RuntimeException {
    @Override
    public String getMessage() {
      throw new IllegalStateException();
    }

    @Override
    public synchronized Throwable getCause() {
      throw new IllegalStateException();
    }

    @Override
    public StackTraceElement[] getStackTrace() {
      return null;
    }
  }

  @Test
  public void aFloodIsCutWithALineThatSaysSo() {
    for (int i = 0; i < 250; i++) {
      log("v", "Tag", "line " + i, null);
    }
    List<String> lines = Logs.take();
    assertEquals(201, lines.size());
    assertEquals("V/Tag: line 199", lines.get(199));
    assertEquals("… and 50 more", lines.get(200));
  }

  @Test
  public void aLongLineIsCutWithWordsThatSaySo() {
    log("d", "Tag", "x".repeat(5_000_000), null);
    String line = Logs.take().get(0);
    assertTrue(line, line.length() < 2 * Texts.LONGEST && line.endsWith("more characters)"));
  }

  @Test
  public void anExceptionIsLoggedWithItsStackAndItsCauses() {
    Throwable error = new IllegalStateException("outer", new RuntimeException("inner"));
    StackTraceElement[] frames = {
      new StackTraceElement("com.a.Main", "onClick", "Main.java", 12),
      new StackTraceElement("com.a.Main", "nowhere", null, -1),
    };
    error.setStackTrace(frames);
    log("w", "Tag", "failed", error);
    String line = Logs.take().get(0);
    assertTrue(line, line.startsWith("W/Tag: failed\njava.lang.IllegalStateException: outer"));
    assertTrue(line, line.contains("\n\tat com.a.Main.onClick(Main.java:12)"));
    assertTrue(line, line.contains("\n\tat com.a.Main.nowhere(Unknown Source)"));
    assertTrue(line, line.contains("\nCaused by: java.lang.RuntimeException: inner"));
  }

  @Test
  public void anUnknownHostIsLoggedWithoutAStack() {
    log("w", "Tag", "offline", new RuntimeException(new UnknownHostException("example.org")));
    assertEquals(List.of("W/Tag: offline"), Logs.take());
  }
}
