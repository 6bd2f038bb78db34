package dev.fewtaps.twin.inside;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import dev.fewtaps.twin.world.World;

/** Turns an uncaught exception into the message that describes a crash. */
final class Crashes {
  private Thread thread;
  private Throwable error;

  void uncaught(Thread thread, Throwable error) {
    if (this.error == null) {
      this.thread = thread;
      this.error = error;
    }
  }

  /** The crash of this run, or null if the app still lives. */
  JsonObject describe(World world, Device device) {
    if (world.hangs() != null) {
      return hang(world.hangs(), new StackTraceElement[0]);
    }
    if (world.crash() != null) {
      return describe("exception", world.crash().thread(), world.crash().error(), suspicion(world, device, world.crash().error()));
    }
    if (world.exit() != null && error != null) {
      // The app's own handler took the exception and ended the process.
      return describe("exception", thread, error, suspicion(world, device, error));
    }
    return null;
  }

  private static String suspicion(World world, Device device, Throwable error) {
    return world.touchedNative() == null
        ? null
        : "the app uses native code, which the twin cannot run: " + world.touchedNative();
  }

  static JsonObject hang(String reason, StackTraceElement[] stack) {
    JsonObject crash = new JsonObject();
    crash.addProperty("kind", "anr");
    crash.addProperty("thread", "main");
    JsonArray chain = new JsonArray();
    JsonObject one = new JsonObject();
    one.addProperty("type", "ANR");
    one.addProperty("message", reason);
    one.add("frames", frames(stack));
    chain.add(one);
    crash.add("exceptions", chain);
    return crash;
  }

  private static JsonObject describe(String kind, Thread thread, Throwable error, String suspect) {
    JsonObject crash = new JsonObject();
    crash.addProperty("kind", kind);
    crash.addProperty("thread", thread.getName());
    crash.addProperty("suspect", suspect);
    JsonArray chain = new JsonArray();
    int depth = 0;
    for (Throwable t = error; t != null && depth++ < 20; t = t.getCause()) {
      JsonObject one = new JsonObject();
      one.addProperty("type", t.getClass().getName());
      one.addProperty("message", t.getMessage());
      one.add("frames", frames(t.getStackTrace()));
      chain.add(one);
    }
    crash.add("exceptions", chain);
    return crash;
  }

  private static JsonArray frames(StackTraceElement[] stack) {
    JsonArray frames = new JsonArray();
    for (StackTraceElement element : stack) {
      JsonArray frame = new JsonArray();
      frame.add(element.getClassName());
      frame.add(element.getMethodName());
      frame.add(element.getFileName());
      frame.add(element.getLineNumber());
      frames.add(frame);
    }
    return frames;
  }
}
