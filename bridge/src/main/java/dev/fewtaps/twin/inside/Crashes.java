package dev.fewtaps.twin.inside;

import com.google.gson.Gson;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import dev.fewtaps.twin.code.HookTable;
import dev.fewtaps.twin.code.StackCleaner;
import dev.fewtaps.twin.code.Suspicion;
import dev.fewtaps.twin.code.Suspicion.Rule;
import dev.fewtaps.twin.code.Suspicions;
import dev.fewtaps.twin.world.Causes;
import dev.fewtaps.twin.world.World;
import java.util.SortedSet;
import java.util.TreeSet;

/** Turns what ended the app into the message that describes a crash. */
final class Crashes {
  private static final Gson GSON = new Gson();

  private final StackCleaner cleaner = new StackCleaner(HookTable.standard());
  private final Suspicions suspicions = new Suspicions(cleaner);
  private Thread thread;
  private Throwable error;
  private SortedSet<String> lacking = new TreeSet<>();

  /** Sets the names of what the open app asks for and its phone lacks. */
  void setLacking(SortedSet<String> names) {
    lacking = names;
  }

  /** Forgets the run before. */
  void reset() {
    thread = null;
    error = null;
  }

  /** Remembers the first exception that reached the end of a thread. */
  synchronized void uncaught(Thread thread, Throwable error) {
    if (this.error == null) {
      this.thread = thread;
      this.error = error;
    }
  }

  /** The crash of this run, or null if the app still lives. */
  synchronized JsonObject describe(World world) {
    if (world.hangs() != null) {
      return hang(world.hangs(), world.hangStack());
    }
    if (world.crash() != null) {
      return describe(world, world.crash().thread().getName(), world.crash().error());
    }
    if (world.exit() != null && error != null) {
      // The app's own handler took the exception and ended the process.
      return describe(world, thread.getName(), error);
    }
    return null;
  }

  private JsonObject describe(World world, String thread, Throwable error) {
    Recursion.settle(error);
    JsonObject crash = new JsonObject();
    crash.addProperty("kind", isOutOfMemory(error) ? "memory" : "exception");
    crash.addProperty("thread", Texts.shortened(thread));
    Suspicion suspicion = suspicion(world, error);
    crash.addProperty(
        "suspect", suspicion == null ? null : Texts.asOnPhone(Texts.shortened(suspicion.reason())));
    if (suspicion != null) {
      crash.addProperty("rule", suspicion.rule().id());
    }
    JsonArray chain = GSON.toJsonTree(cleaner.exceptions(error)).getAsJsonArray();
    for (JsonElement one : chain) {
      JsonElement message = one.getAsJsonObject().get("message");
      if (message != null && !message.isJsonNull()) {
        one.getAsJsonObject()
            .addProperty("message", Texts.asOnPhone(Texts.shortened(message.getAsString())));
      }
    }
    crash.add("exceptions", chain);
    return crash;
  }

  static boolean isOutOfMemory(Throwable error) {
    return Causes.of(error).stream().anyMatch(OutOfMemoryError.class::isInstance);
  }

  private Suspicion suspicion(World world, Throwable error) {
    Suspicion suspicion = suspicions.of(error);
    if (suspicion == null && world.touchedNative() != null) {
      String reason =
          "the app had called native code, which the twin cannot run: " + world.touchedNative();
      suspicion = new Suspicion(Rule.NATIVE_CODE, reason);
    }
    if (suspicion == null && !lacking.isEmpty()) {
      String reason = "the app asks for what the twin's phone does not have: " + lacking.first();
      suspicion = new Suspicion(Rule.MISSING_LIBRARY, reason);
    }
    return suspicion;
  }

  /** Describes the end of an app that has left no room to look at it. */
  JsonObject outOfMemory(World world, OutOfMemoryError full) {
    return world.crash() != null ? describe(world) : describe(world, "main", full);
  }

  /** Describes a main thread that no longer answers. */
  JsonObject hang(String reason, StackTraceElement[] stack) {
    JsonObject one = new JsonObject();
    one.addProperty("type", "ANR");
    one.addProperty("message", reason);
    one.add("frames", GSON.toJsonTree(cleaner.frames(stack)));
    JsonArray chain = new JsonArray();
    chain.add(one);
    JsonObject crash = new JsonObject();
    crash.addProperty("kind", "anr");
    crash.addProperty("thread", "main");
    crash.add("exceptions", chain);
    return crash;
  }
}
