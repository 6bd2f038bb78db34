package dev.fewtaps.twin;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.fewtaps.twin.inside.AppHost;
import dev.fewtaps.twin.inside.ShadowList;
import dev.fewtaps.twin.inside.TwinEnvironment;
import dev.fewtaps.twin.world.FixedHashes;
import dev.fewtaps.twin.world.FixedOrder;
import java.util.Base64;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.robolectric.internal.AndroidSandbox;

/** Starts the twin and answers requests, one JSON object per line, until told to quit. */
public final class BridgeMain {
  static final int PROTOCOL = 1;

  /** The process's exit status when the app has left no room even to say so. */
  private static final int OUT_OF_MEMORY = 5;

  private final Watchdog watchdog = new Watchdog();
  private final Channel channel;
  private final AndroidSandbox sandbox;
  private final Host host;
  private final AtomicReference<Thread> mainThread = new AtomicReference<>();

  private BridgeMain(Channel channel, AndroidSandbox sandbox) throws Exception {
    this.channel = channel;
    this.sandbox = sandbox;
    this.host =
        onMainThread(
            () -> {
              mainThread.set(Thread.currentThread());
              Thread.currentThread().setName("main");
              Thread.currentThread().setContextClassLoader(sandbox.getRobolectricClassLoader());
              return (Host)
                  sandbox
                      .bootstrappedClass(AppHost.class)
                      .getConstructor(Object.class)
                      .newInstance(sandbox.getTestEnvironment());
            });
  }

  public static void main(String[] arguments) throws Exception {
    Channel channel = Channel.takeStandardStreams();
    skipShortHashCodes();
    FixedOrder.begin();
    FixedHashes.begin();
    int apiLevel = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 28;
    AndroidSandbox sandbox = Sandboxes.build(apiLevel, TwinEnvironment.class, ShadowList.all());
    BridgeMain bridge = new BridgeMain(channel, sandbox);
    JsonObject hello = new JsonObject();
    hello.addProperty("protocol", PROTOCOL);
    hello.addProperty("java", System.getProperty("java.version"));
    hello.addProperty("api", apiLevel);
    channel.write("{\"hello\":" + hello + "}");
    int status = 1;
    try {
      bridge.onMainThread(
          () -> {
            bridge.serve();
            return null;
          });
      status = 0;
    } catch (OutOfMemoryError full) {
      status = OUT_OF_MEMORY;
    } catch (Throwable failure) {
      failure.printStackTrace();
    } finally {
      if (Boolean.getBoolean("fewtaps.recorded")) {
        // A flight recording is written by a shutdown hook.
        System.exit(status);
      }
      // Threads of apps may still be there; nothing of theirs is worth waiting for.
      Runtime.getRuntime().halt(status);
    }
  }

  /**
   * Uses up the identity hash codes of fewer than five hexadecimal digits: the JVM counts them, and
   * in texts only those of five digits and more are taken for hash codes.
   */
  private static void skipShortHashCodes() {
    while (System.identityHashCode(new Object()) < 0x10000) {
      continue;
    }
  }

  private void serve() throws Exception {
    String line;
    while ((line = channel.read()) != null) {
      JsonObject request = JsonParser.parseString(line).getAsJsonObject();
      String id = request.get("id").toString();
      String verb = request.get("do").getAsString();
      if (verb.equals("quit")) {
        channel.write("{\"id\":" + id + ",\"ok\":{}}");
        return;
      }
      String reply;
      watch(verb, id, request);
      try {
        reply = "{\"id\":" + id + ",\"ok\":" + answer(verb, request) + "}";
      } catch (OutOfMemoryError full) {
        if (plays(verb)) {
          Runtime.getRuntime().halt(OUT_OF_MEMORY);
        }
        reply = "{\"id\":" + id + ",\"error\":" + Failures.describe(full) + "}";
      } catch (Throwable failure) {
        // Errors too: without a reply the other side would wait until its deadline.
        reply = "{\"id\":" + id + ",\"error\":" + Failures.describe(failure) + "}";
      }
      if (!watchdog.disarm()) {
        // The watchdog is answering and will end the process; to leave before it has done so would
        // be too early.
        while (true) {
          LockSupport.parkNanos(this, 1_000_000_000L);
        }
      }
      channel.write(reply);
    }
  }

  private void watch(String verb, String id, JsonObject request) {
    long seconds =
        request.has("deadline_seconds") ? request.get("deadline_seconds").getAsLong() : 30;
    watchdog.arm(
        plays(verb) ? seconds : 600,
        mainThread.get(),
        () -> plays(verb) && host.isHung(),
        () -> {
          dumpThreads();
          String step = host.hungStep(mainThread.get().getStackTrace());
          channel.write("{\"id\":" + id + ",\"ok\":" + step + "}");
          Runtime.getRuntime().halt(3);
          return null;
        });
  }

  /** Whether the app runs while this is being answered. */
  private static boolean plays(String verb) {
    return verb.equals("launch") || verb.equals("perform");
  }

  /** Leaves word on standard error of what every thread was doing: the process is about to end. */
  private static void dumpThreads() {
    Thread.getAllStackTraces()
        .forEach(
            (thread, stack) -> {
              System.err.println("thread " + thread.getName() + " " + thread.getState());
              for (StackTraceElement frame : stack) {
                System.err.println("    at " + frame);
              }
            });
  }

  private String answer(String verb, JsonObject request) throws Exception {
    switch (verb) {
      case "open":
        return onMainThread(() -> host.open(request)).toString();
      case "launch":
        return onMainThread(() -> host.launch(request));
      case "perform":
        return onMainThread(() -> host.perform(request));
      case "repeat":
        return "{\"seconds\":" + onMainThread(() -> host.repeat(request)) + "}";
      case "screenshot":
        byte[] png = onMainThread(host::screenshot);
        return "{\"png\":\"" + Base64.getEncoder().encodeToString(png) + "\"}";
      case "listening":
        return onMainThread(host::listening).toString();
      case "decisions":
        return onMainThread(host::decisions).toString();
      case "execution":
        byte[] data = onMainThread(host::executionData);
        return "{\"data\":\"" + Base64.getEncoder().encodeToString(data) + "\"}";
      case "translated":
        byte[] classes = onMainThread(host::translated);
        return "{\"data\":\"" + Base64.getEncoder().encodeToString(classes) + "\"}";
      case "mutants":
        return onMainThread(() -> host.mutants(request)).toString();
      case "turns":
        return onMainThread(host::turns).toString();
      case "code":
        return onMainThread(() -> host.code(request));
      case "probes":
        return onMainThread(host::probes).toString();
      case "report":
        return Reports.coverage(request).toString();
      case "instrument":
        return Reports.instrumented(request).toString();
      case "hits":
        byte[] hits = onMainThread(host::probeHits);
        return "{\"data\":\"" + Base64.getEncoder().encodeToString(hits) + "\"}";
      case "memory":
        Runtime runtime = Runtime.getRuntime();
        long used = runtime.totalMemory() - runtime.freeMemory();
        return "{\"used_mb\":"
            + used / 1_048_576
            + ",\"limit_mb\":"
            + runtime.maxMemory() / 1_048_576
            + ",\"tight\":"
            + host.isTight()
            + "}";
      default:
        throw new IllegalArgumentException("unknown request '" + verb + "'");
    }
  }

  /**
   * Requests are read there too: to hand each to another thread and back costs more than many an
   * event.
   */
  private <T> T onMainThread(Callable<T> work) throws Exception {
    return Thread.currentThread() == mainThread.get() ? work.call() : sandbox.runOnMainThread(work);
  }
}
