package dev.fewtaps.twin;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import com.google.gson.JsonObject;
import java.lang.reflect.InvocationTargetException;
import org.junit.Test;

public class FailuresTest {
  @Test
  public void kind_followsTheExceptionsClass() {
    assertEquals("usage", text(new IllegalArgumentException("no such key"), "kind"));
    assertEquals("unsupported", text(new UnsupportedOperationException("no screenshot"), "kind"));
    assertEquals("internal", text(new NullPointerException(), "kind"));
    assertEquals("internal", text(new StackOverflowError(), "kind"));
  }

  @Test
  public void message_isItsFirstLineOrTheNameOfTheClass() {
    assertEquals("first", text(new IllegalStateException("first\nsecond"), "message"));
    assertEquals("NullPointerException", text(new NullPointerException(), "message"));
    assertEquals("", text(new IllegalStateException(""), "message"));
  }

  @Test
  public void stack_hasTheFramesAndEveryCause() {
    Exception failure = new IllegalStateException("outer", new NullPointerException("inner"));
    String stack = text(failure, "stack");
    assertTrue(stack, stack.startsWith("java.lang.IllegalStateException: outer\n"));
    assertTrue(stack, stack.contains("FailuresTest.stack_hasTheFramesAndEveryCause"));
    assertTrue(stack, stack.contains("Caused by: java.lang.NullPointerException: inner"));
  }

  @Test
  public void reflection_isLookedThrough() {
    Exception inner = new IllegalArgumentException("no such key");
    JsonObject error = Failures.describe(new InvocationTargetException(inner));
    assertEquals("usage", error.get("kind").getAsString());
    assertFalse(error.get("stack").getAsString().contains("InvocationTargetException"));
  }

  @Test
  public void longStack_keepsItsBeginningAndItsEnd() {
    StackTraceElement[] frames = new StackTraceElement[5000];
    for (int i = 0; i < frames.length; i++) {
      frames[i] = new StackTraceElement("some.Recursion", "step" + i, "Recursion.java", i + 1);
    }
    Throwable deep = new StackOverflowError();
    deep.setStackTrace(frames);
    String stack = text(deep, "stack");
    assertTrue(stack.length() > Failures.STACK_LIMIT);
    assertTrue(stack.length() < Failures.STACK_LIMIT + 100);
    assertTrue(stack.contains("at some.Recursion.step0(Recursion.java:1)"));
    assertTrue(stack.contains("characters left out"));
    assertTrue(stack.endsWith("at some.Recursion.step4999(Recursion.java:5000)\n"));
  }

  @Test
  public void exceptionWithBrokenMethods_isDescribedByItsClassAndFrames() {
    Exception broken =
        new RuntimeException() {
          @Override
          public String getMessage() {
            throw new IllegalStateException("no message for you");
          }
        };
    JsonObject error = Failures.describe(broken);
    assertEquals("internal", error.get("kind").getAsString());
    assertEquals(broken.getClass().getSimpleName(), error.get("message").getAsString());
    String stack = error.get("stack").getAsString();
    assertTrue(stack, stack.contains(broken.getClass().getName()));
    assertTrue(stack, stack.contains("exceptionWithBrokenMethods_isDescribed"));
  }

  private static String text(Throwable failure, String field) {
    return Failures.describe(failure).get(field).getAsString();
  }
}
