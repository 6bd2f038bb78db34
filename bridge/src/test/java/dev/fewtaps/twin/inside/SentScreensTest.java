package dev.fewtaps.twin.inside;

import static org.junit.Assert.assertEquals;

import com.google.gson.JsonPrimitive;
import com.google.gson.stream.JsonWriter;
import java.io.IOException;
import java.io.StringWriter;
import org.junit.Test;

public class SentScreensTest {
  private final SentScreens sent = new SentScreens();

  private String send(String screen, Integer known) throws IOException {
    StringWriter text = new StringWriter();
    JsonWriter out = new JsonWriter(text);
    out.beginObject();
    sent.write(screen, known == null ? null : new JsonPrimitive(known), out);
    out.endObject();
    return text.toString();
  }

  @Test
  public void aScreenIsSentOnceAndNamedAfterwards() throws IOException {
    assertEquals("{\"screen\":[1],\"number\":0}", send("[1]", 0));
    assertEquals("{\"screen\":[2],\"number\":1}", send("[2]", 1));
    assertEquals("{\"number\":0}", send("[1]", 2));
    assertEquals("{\"number\":1}", send("[2]", 2));
  }

  @Test
  public void whoHasMissedAScreenIsSentItAgain() throws IOException {
    send("[1]", 0);
    send("[2]", 1);
    assertEquals("{\"screen\":[2],\"number\":0}", send("[2]", 1));
  }

  @Test
  public void whoRemembersNothingIsSentEachInFull() throws IOException {
    assertEquals("{\"screen\":[1]}", send("[1]", null));
    assertEquals("{\"screen\":[1]}", send("[1]", null));
  }

  @Test
  public void afterAnotherAppWasOpenedNumbersStartAnew() throws IOException {
    send("[1]", 0);
    sent.forget();
    assertEquals("{\"screen\":[1],\"number\":0}", send("[1]", 1));
  }

  @Test
  public void tooManyAreForgottenTogether() throws IOException {
    String half = "\"" + "x".repeat(SentScreens.MOST_CHARACTERS / 2) + "\"";
    String other = half.replace('x', 'y');
    send("[1]", 0);
    send(half, 1);
    assertEquals(
        ",\"number\":0}", send(other, 2).substring(other.length() + "{\"screen\":".length()));
    assertEquals("{\"number\":0}", send(other, 1));
    assertEquals("{\"screen\":[1],\"number\":1}", send("[1]", 1));
  }
}
