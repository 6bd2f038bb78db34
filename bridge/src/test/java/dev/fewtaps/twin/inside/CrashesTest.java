package dev.fewtaps.twin.inside;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import com.google.gson.JsonObject;
import dev.fewtaps.twin.world.World;
import java.util.List;
import java.util.TreeSet;
import org.junit.After;
import org.junit.Test;

public class CrashesTest {
  private final Crashes crashes = new Crashes();
  private final World world =
      World.begin(1, dev.fewtaps.twin.world.Settings.defaults().withPackage("com.a"));

  @After
  public void end() {
    World.end();
  }

  private static String message(JsonObject crash) {
    return exception(crash).get("message").getAsString();
  }

  private static JsonObject exception(JsonObject crash) {
    return crash.getAsJsonArray("exceptions").get(0).getAsJsonObject();
  }

  @Test
  public void anAppThatLivesHasNoCrash() {
    assertNull(crashes.describe(world));
    crashes.uncaught(Thread.currentThread(), new IllegalStateException());
    assertNull("an exception that the app survived is none", crashes.describe(world));
  }

  @Test
  public void aCrashHasItsThreadItsKindAndItsChain() {
    Throwable error =
        new IllegalStateException("outer", new RuntimeException("x@1b2c3d4e is gone"));
    world.crash(new Thread("worker-1"), error);
    JsonObject crash = crashes.describe(world);
    assertEquals("exception", crash.get("kind").getAsString());
    assertEquals("worker-1", crash.get("thread").getAsString());
    assertEquals("java.lang.IllegalStateException", exception(crash).get("type").getAsString());
    assertEquals("outer", message(crash));
    JsonObject cause = crash.getAsJsonArray("exceptions").get(1).getAsJsonObject();
    assertEquals("x@0 is gone", cause.get("message").getAsString());
    assertTrue(crash.get("suspect").isJsonNull());
  }

  @Test
  public void aLongMessageIsCutAndNoCharacterInHalf() {
    String smile = new String(Character.toChars(0x1F600));
    world.crash(new Thread("main"), new RuntimeException("x" + smile.repeat(50_000)));
    String told = message(crashes.describe(world));
    assertTrue(told.endsWith(smile + "… (80002 more characters)"));
    assertTrue(told.length() < 2 * Texts.LONGEST);
  }

  @Test
  public void fullMemoryIsAKindOfItsOwnHoweverDeep() {
    assertTrue(Crashes.isOutOfMemory(new RuntimeException(new OutOfMemoryError())));
    assertFalse(Crashes.isOutOfMemory(new RuntimeException(new StackOverflowError())));
    assertFalse(Crashes.isOutOfMemory(null));
    JsonObject crash = crashes.outOfMemory(world, new OutOfMemoryError("full"));
    assertEquals("memory", crash.get("kind").getAsString());
    assertEquals("main", crash.get("thread").getAsString());
  }

  @Test
  public void aCrashOfAnAppThatLacksALibraryIsSuspect() {
    crashes.setLacking(new TreeSet<>(List.of("com.google.android.maps")));
    world.crash(new Thread("main"), new RuntimeException("no map"));
    assertEquals(
        "the app asks for what the twin's phone does not have: com.google.android.maps",
        crashes.describe(world).get("suspect").getAsString());
  }

  @Test
  public void aHangTellsItsReasonAndTheFramesOfTheMainThread() {
    StackTraceElement[] frames = {new StackTraceElement("com.a.Main", "onClick", "Main.java", 12)};
    JsonObject crash = crashes.hang("does not answer", frames);
    assertEquals("anr", crash.get("kind").getAsString());
    assertEquals("does not answer", message(crash));
    String told = exception(crash).get("frames").toString();
    assertTrue(told, told.contains("\"com.a.Main\",\"onClick\""));
  }
}
