package dev.fewtaps.twin.inside;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertSame;
import static org.junit.Assert.assertThrows;

import java.io.IOException;
import java.util.concurrent.Callable;
import org.junit.Test;

public class UnableTest {
  private static void fail(String purpose, Exception failure) {
    Unable.to(
        purpose,
        (Unable.Call)
            () -> {
              throw failure;
            });
  }

  @Test
  public void anExceptionIsPassedOnWithThePurpose() {
    IOException inner = new IOException("no room");
    RuntimeException outer =
        assertThrows(RuntimeException.class, () -> fail("start activity {a/b}", inner));
    assertEquals(
        "Unable to start activity {a/b}: java.io.IOException: no room", outer.getMessage());
    assertSame(inner, outer.getCause());
  }

  @Test
  public void anExceptionWithoutAMessageIsNamedByItsClass() {
    RuntimeException outer =
        assertThrows(
            RuntimeException.class, () -> fail("stop service", new IllegalStateException()));
    assertEquals("Unable to stop service: java.lang.IllegalStateException", outer.getMessage());
  }

  @Test
  public void anErrorIsPassedOnAsItIs() {
    StackOverflowError error = new StackOverflowError();
    Callable<Object> call =
        () -> {
          throw error;
        };
    assertSame(
        error, assertThrows(StackOverflowError.class, () -> Unable.to("resume activity", call)));
  }

  @Test
  public void whatIsReturnedComesBack() {
    assertEquals("value", Unable.<String>to("ask", () -> "value"));
  }
}
