package dev.fewtaps.twin.world;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.fewtaps.twin.world.ReadField.Kind;
import java.util.List;
import org.junit.Test;

/** JSON of servers has the fields that the app reads. */
public class JsonAnswerTest {
  private static final ReadField.All WEATHER =
      new ReadField.All(
          List.of(
              new ReadField("icon_url", Kind.TEXT, false),
              new ReadField("items", Kind.OBJECT, false),
              new ReadField("main", Kind.OBJECT, false),
              new ReadField("note", Kind.TEXT, true),
              new ReadField("temp", Kind.FRACTION, false),
              new ReadField("weather", Kind.LIST, false)),
          false,
          true);

  @Test
  public void whatIsReadIsThereWhereverItMayBeLookedFor() {
    String text = new JsonAnswer(WEATHER).text("https://a.example.com/forecasts");
    JsonObject whole = JsonParser.parseString(text).getAsJsonObject();
    assertEquals(1.5, whole.get("temp").getAsDouble(), 0);
    assertEquals(1.5, whole.getAsJsonObject("main").get("temp").getAsDouble(), 0);
    assertTrue(whole.get("items").isJsonObject());
    JsonObject last = whole.getAsJsonArray("weather").get(2).getAsJsonObject();
    assertTrue(last.has("note"));
    assertFalse(whole.has("note"));
    assertTrue(last.get("icon_url").getAsString().startsWith("https://"));
  }

  @Test
  public void withoutKnownFieldsTheAddressDecides() {
    JsonAnswer usual = new JsonAnswer(ReadField.All.NONE);
    assertTrue(JsonParser.parseString(usual.text("http://a/users")).isJsonArray());
    assertTrue(JsonParser.parseString(usual.text("http://a/users/7")).isJsonObject());
  }
}
