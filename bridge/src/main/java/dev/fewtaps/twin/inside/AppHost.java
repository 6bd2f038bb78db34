package dev.fewtaps.twin.inside;

import android.content.ComponentName;
import android.content.pm.PackageParser;
import android.os.AsyncTask;
import android.os.Build;
import android.os.StrictMode;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.stream.JsonWriter;
import dalvik.system.BlockGuard;
import dev.fewtaps.twin.Host;
import dev.fewtaps.twin.code.AppClassLoader;
import dev.fewtaps.twin.code.AppCode;
import dev.fewtaps.twin.code.CoverageProbes;
import dev.fewtaps.twin.code.JsonReads;
import dev.fewtaps.twin.code.Mutation;
import dev.fewtaps.twin.code.ReadyClasses;
import dev.fewtaps.twin.code.Recording;
import dev.fewtaps.twin.code.Transform;
import dev.fewtaps.twin.code.TranslatedClasses;
import dev.fewtaps.twin.world.AsyncPools;
import dev.fewtaps.twin.world.MainThreadHangs;
import dev.fewtaps.twin.world.ReadField;
import dev.fewtaps.twin.world.Recorder;
import dev.fewtaps.twin.world.World;
import java.io.IOException;
import java.io.StringWriter;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.BitSet;
import java.util.SortedSet;
import java.util.TimeZone;
import java.util.TreeSet;
import org.jacoco.core.data.SessionInfo;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.android.internal.AndroidTestEnvironment;
import org.robolectric.shadows.ShadowAlarmManager;
import org.robolectric.shadows.ShadowChoreographer;
import org.robolectric.shadows.ShadowLog;
import org.robolectric.shadows.ShadowPackageParser;
import org.robolectric.shadows.ShadowSystemClock;
import org.robolectric.shadows.ShadowView;
import org.robolectric.shadows.TwinSystemBars;
import org.robolectric.util.ReflectionHelpers;

/** Opens an app, gives it a fresh process for each run, and turns what happens into steps. */
public final class AppHost implements Host {
  private static final int FRAME_MILLIS = 16;
  private static final int RESERVE_BYTES = 8 << 20;

  private final AndroidTestEnvironment environment;
  private final ScreenReader reader = new ScreenReader();
  private final SentScreens sent = new SentScreens();
  private Settings settings;
  private AppCode code;
  private ReadField.All reads;
  private ReadyClasses ready;
  private CoverageProbes probes;
  private Prepared prepared;
  private Disk disk;
  private Device device;
  private volatile World world;
  private MainLoop loop;
  private final Crashes crashes = new Crashes();
  private final Recordings recordings = new Recordings();
  private int events;
  private boolean booted;
  private volatile String lastScreen = "null";
  private volatile boolean tight;

  /** Room to describe an app that has filled all other. */
  private volatile byte[] reserve = new byte[RESERVE_BYTES];

  public AppHost(Object environment) {
    this.environment = (AndroidTestEnvironment) environment;
  }

  @Override
  public JsonObject open(JsonObject request) throws Exception {
    endRun();
    Settings next = new Settings(request);
    boot(next);
    next.setManifest(parse(next));
    next.setSplits(Splits.unpack(next.apk, next.data.resolve("splits")));
    if (code != null) {
      ready.close();
      code.close();
      recordings.forget();
    }
    settings = next;
    reader.forget();
    sent.forget();
    code = AppCode.open(next.apk, next.cache, next.translated, next.names);
    reads = null;
    probes =
        next.coverage.equals("off")
            ? null
            : next.coverage.equals("all") ? CoverageProbes.ofAll(code) : CoverageProbes.ofApp(code);
    ready =
        ReadyClasses.standard(
            code,
            getClass().getClassLoader(),
            probes,
            String.valueOf(RuntimeEnvironment.getApiLevel()));
    JsonObject reply = new JsonObject();
    reply.addProperty("package", next.manifest().packageName);
    ComponentName launcher = next.launcher();
    reply.addProperty("main", launcher == null ? null : launcher.getClassName());
    reply.addProperty("classes", code.classNames().size());
    JsonArray notes = new JsonArray();
    code.notes().forEach(notes::add);
    for (String library : nativeLibraries()) {
      notes.add("native library " + library + " cannot run");
    }
    SortedSet<String> lacking = Libraries.lacking(next.manifest());
    crashes.setLacking(lacking);
    for (String name : lacking) {
      notes.add("the twin's phone has no " + name);
    }
    reply.add("notes", notes);
    if (probes != null) {
      CoverageProbes.Totals totals = probes.totals();
      JsonObject counts = new JsonObject();
      counts.addProperty("branches", totals.branches());
      counts.addProperty("lines", totals.lines());
      counts.addProperty("methods", totals.methods());
      reply.add("probes", counts);
    }
    return reply;
  }

  @Override
  public byte[] translated() throws IOException {
    if (settings == null) {
      throw new IllegalArgumentException("no app is open");
    }
    code.flush();
    ready.flush();
    return TranslatedClasses.pack(code.directory());
  }

  private SortedSet<String> nativeLibraries() {
    SortedSet<String> names = new TreeSet<>();
    code.nativeLibraries().values().forEach(names::addAll);
    return names;
  }

  private PackageParser.Package parse(Settings next) {
    try {
      return ShadowPackageParser.callParsePackage(next.apk);
    } catch (RuntimeException e) {
      Throwable cause = e;
      while (cause.getCause() != null) {
        cause = cause.getCause();
      }
      String why = cause.getMessage() == null ? "its resources are damaged" : cause.getMessage();
      throw new UnsupportedOperationException("Android cannot read this app: " + why, e);
    }
  }

  /** Brings the framework up without an app, which is enough to read manifests. */
  private void boot(Settings next) {
    if (!booted) {
      environment.setUpApplicationState(
          "fewtaps",
          new FixedConfiguration(next.qualifiers()),
          new org.robolectric.manifest.AndroidManifest(null, null, null));
      booted = true;
    }
  }

  @Override
  public String launch(JsonObject request) throws Exception {
    if (settings == null) {
      throw new IllegalArgumentException("no app is open");
    }
    if (settings.launcher() == null) {
      throw new UnsupportedOperationException("the app has no activity to launch");
    }
    Transform preparation =
        request.has("mutant")
            ? new Mutation(code, ready, MutantList.place(request.getAsJsonObject("mutant")))
            : ready;
    AppCode classes = code;
    if (request.has("record")) {
      Recording recording = recordings.choose(code, request.getAsJsonObject("record"));
      preparation = recording;
      classes = recording.code();
    }
    endRun();
    prepared = new Prepared(classes, preparation);
    long seed = request.has("world") ? request.get("world").getAsLong() : 0;
    Settings phone =
        request.has("phone") ? settings.differing(request.getAsJsonObject("phone")) : settings;
    if (probes != null) {
      probes.startRun();
    }
    disk = Disk.fresh(phone);
    makeDevice(phone, null);
    world = World.begin(seed, disk.worldSettings(phone));
    world.setListener(new Reactions());
    world.serve(phone.served);
    world.setReads(this::reads);
    events = 0;
    if (request.has("record")) {
      recordings.begin(request.getAsJsonObject("record"));
    }
    if (request.has("turns_limit")) {
      world.limitTurns(request.get("turns_limit").getAsLong());
    }
    return step(
        request,
        () -> {
          startProcess();
          device.activities().launch(phone.launcher());
          loop.run(phone.launchMillis);
          drawFrame();
          if (phone.isStorageFull) {
            world.fillStorage();
          }
        });
  }

  /** The classes of a run and how they are prepared; all of its processes have the same. */
  private record Prepared(AppCode classes, Transform transform) {}

  private final class Reactions implements World.Listener {
    @Override
    public void onAdvance(long uptimeMillis) {
      advanceFramework(uptimeMillis);
    }

    @Override
    public void onUncaught(Thread thread, Throwable error) {
      crashes.uncaught(thread, error);
    }
  }

  private void makeDevice(Settings phone, PhoneState before) {
    ClassLoader loader =
        new AppClassLoader(
            prepared.classes(),
            getClass().getClassLoader(),
            settings.fallbackJars,
            prepared.transform());
    device = new Device(phone, loader, before);
    crashes.reset();
    Device.makeCurrent(device);
    Thread.currentThread().setContextClassLoader(loader);
  }

  /** Brings up the framework and the app's application for the present device and world. */
  private void startProcess() throws Exception {
    Settings phone = device.settings();
    environment.resetState();
    advanceFramework(world.uptimeMillis());
    prepareFramework();
    PhoneIdentity.describeBuild(phone);
    environment.setUpApplicationState(
        "fewtaps",
        new FixedConfiguration(phone.qualifiers()),
        new TwinManifest(phone.apk, phone.manifest().applicationInfo.targetSdkVersion));
    disk.mount();
    // Setting the state up has put the usual zone back.
    TimeZone.setDefault(TimeZone.getTimeZone(phone.timeZone));
    if (phone.isRead) {
      ScreenReading.turnOn();
    }
    if (phone.fontScale != 1) {
      RuntimeEnvironment.setFontScale(phone.fontScale);
    }
    RuntimeEnvironment.getApplication(); // Only now is the app's first class loaded.
    TwinSystemBars.install(phone.statusBarDp, phone.navigationBarDp);
    loop = new MainLoop(device, world);
  }

  /**
   * Kills the app's process in the background and comes back to it: the activities are made anew
   * from what they saved, and what static fields held is gone. Before it is killed, `meanwhile`
   * happens.
   */
  private void dieAndComeBack(Runnable meanwhile) throws Exception {
    device.activities().goHome();
    loop.run(device.settings().thinkMillis);
    if (world.halted()) {
      return;
    }
    if (!device.activities().isInBackground() && !device.activities().isEmpty()) {
      device.notes().say("the app came to the front again before its process could be killed");
      return;
    }
    meanwhile.run();
    PhoneState kept = PhoneState.of(device);
    Logs.keep();
    Notes notes = device.notes();
    world.notes().forEach(notes::say);
    World.Continued continued = world.continued();
    World.end();
    StorageShadows.closeAll();
    makeDevice(device.settings(), kept);
    notes.take().forEach(device.notes()::say);
    world = World.beginAgain(continued, disk.worldSettings(device.settings()));
    world.setListener(new Reactions());
    world.serve(device.settings().served);
    world.setReads(this::reads);
    world.mainBegins();
    Recorder.process();
    startProcess();
    kept.comeBack(device);
    loop.run(device.settings().launchMillis);
  }

  @Override
  public String perform(JsonObject request) throws Exception {
    if (device == null || world.halted()) {
      throw new IllegalArgumentException("the app is not running: launch it first");
    }
    JsonObject event = request.getAsJsonObject("event");
    return step(
        request,
        () -> {
          if (SystemEvents.isProcessDeath(event)) {
            dieAndComeBack(() -> {});
          } else if (SystemEvents.revokes(event)) {
            dieAndComeBack(() -> SystemEvents.perform(device, event));
          } else {
            long think = new EventInjector(device, loop).perform(event);
            loop.run(think);
          }
          drawFrame();
        });
  }

  /** Draws what there is to see after an event, and does what the app asks for while drawing. */
  private void drawFrame() {
    if (!world.halted()) {
      Drawing.draw(device);
      if (device.settings().isRead) {
        ScreenReading.read(device.windows().shown());
      }
      loop.runDue();
    }
  }

  @Override
  public double repeat(JsonObject request) {
    if (device == null || world.halted()) {
      throw new IllegalArgumentException("the app is not running: launch it first");
    }
    JsonArray events = request.getAsJsonArray("events");
    int times = request.get("times").getAsInt();
    long began = System.nanoTime();
    for (int i = 0; i < times * events.size() && !world.halted(); i++) {
      world.mainBegins();
      JsonObject event = events.get(i % events.size()).getAsJsonObject();
      loop.run(new EventInjector(device, loop).perform(event));
      drawFrame();
      world.mainEnds();
    }
    return (System.nanoTime() - began) / 1e9;
  }

  private interface Work {
    void run() throws Exception;
  }

  /** Does the work on behalf of the app and describes what came of it. */
  private String step(JsonObject request, Work work) throws Exception {
    try {
      play(work);
      return describe(request);
    } catch (OutOfMemoryError full) {
      // The views of the app alone fill the memory: there was none left to read the screen with.
      reserve = null;
      return lastStep(crashes.outOfMemory(world, full), "crashed");
    }
  }

  private void play(Work work) throws Exception {
    world.mainBegins();
    Recorder.event(events++);
    Drawing.begin();
    try {
      work.run();
    } catch (IllegalArgumentException refused) {
      if (isOurs(refused)) {
        throw refused;
      }
      world.uncaught(Thread.currentThread(), refused);
    } catch (MainThreadHangs hang) {
      // The world knows where it hung.
    } catch (Throwable error) { // Everything that comes out of an app is data for its developer.
      if (Crashes.isOutOfMemory(error)) {
        reserve = null;
      }
      world.uncaught(Thread.currentThread(), error);
    } finally {
      world.mainEnds();
      Recorder.sync();
    }
  }

  /** Our own refusal of a request, as against an exception thrown by the app. */
  private static boolean isOurs(IllegalArgumentException error) {
    StackTraceElement[] stack = error.getStackTrace();
    return stack.length > 0
        && (stack[0].getClassName().startsWith("dev.fewtaps.twin.inside.EventInjector")
            || stack[0].getClassName().startsWith("dev.fewtaps.twin.inside.SystemEvents"));
  }

  private String describe(JsonObject request) throws IOException {
    StringWriter text = new StringWriter(4096);
    JsonWriter out = new JsonWriter(text);
    out.setHtmlSafe(false);
    out.beginObject();
    lastScreen = readScreen();
    sent.write(lastScreen, request.get("known"), out);
    writeCoverage(out);
    out.name("log").beginArray();
    for (String line : Logs.take()) {
      out.value(line);
    }
    out.endArray();
    JsonObject crash = crashes.describe(world);
    out.name("crash").jsonValue(crash == null ? "null" : crash.toString());
    out.name("ending").value(ending(crash));
    out.name("notes").beginArray();
    for (String note : world.notes()) {
      device.notes().say(note);
    }
    for (String note : device.notes().take()) {
      out.value(note);
    }
    out.endArray();
    out.name("clock_ms").value(world.uptimeMillis());
    out.name("asked_world").value(world.isAsked());
    out.endObject();
    out.close();
    return text.toString();
  }

  private void writeCoverage(JsonWriter out) throws IOException {
    if (probes == null) {
      out.name("new").beginObject().endObject();
    } else if (settings.stepCoverage) {
      CoverageProbes.StepCoverage covered = probes.takeStep();
      writeNumbers("new", covered.fresh(), out);
      writeNumbers("ran", covered.ran(), out);
    } else {
      writeNumbers("new", probes.takeNew(), out);
    }
  }

  private static void writeNumbers(
      String name, CoverageProbes.CoverageNumbers covered, JsonWriter out) throws IOException {
    out.name(name).beginObject();
    writeNumbers("branches", covered.branches(), out);
    writeNumbers("lines", covered.lines(), out);
    writeNumbers("methods", covered.methods(), out);
    out.endObject();
  }

  /** Writes numbers from small to large; three or more in a row become one pair. */
  private static void writeNumbers(String name, int[] numbers, JsonWriter out) throws IOException {
    if (numbers.length > 0) {
      out.name(name).beginArray();
      for (int first = 0; first < numbers.length; ) {
        int last = first;
        while (last + 1 < numbers.length && numbers[last + 1] == numbers[last] + 1) {
          last++;
        }
        if (last - first >= 2) {
          out.beginArray().value(numbers[first]).value(numbers[last]).endArray();
          first = last + 1;
        } else {
          out.value(numbers[first++]);
        }
      }
      out.endArray();
    }
  }

  private String readScreen() {
    StringWriter text = new StringWriter(4096);
    try (JsonWriter out = new JsonWriter(text)) {
      out.setHtmlSafe(false);
      reader.write(device, device.toasts().visible(), out);
    } catch (IOException | RuntimeException | StackOverflowError | LinkageError e) {
      // A crash may leave views that cannot even be looked at; the step is still worth having.
      JsonObject empty = new JsonObject();
      empty.addProperty("package", "");
      empty.addProperty("activity", "");
      empty.addProperty("width", device.windows().width());
      empty.addProperty("height", device.windows().height());
      empty.addProperty("rotation", device.windows().rotation());
      empty.addProperty("keyboard", false);
      empty.add("windows", new JsonArray());
      return empty.toString();
    }
    return text.toString();
  }

  private String ending(JsonObject crash) {
    if (crash != null) {
      return world.hangs() != null ? "anr" : "crashed";
    }
    if (world.exit() != null) {
      return "exited";
    }
    return device.activities().isEmpty() || device.activities().isInBackground()
        ? "left"
        : "running";
  }

  private void prepareFramework() {
    ProcessMemory.clear();
    ShadowChoreographer.setPaused(true);
    ShadowChoreographer.setFrameDelay(Duration.ofMillis(FRAME_MILLIS));
    ShadowView.setUseRealViewAnimations(true);
    ShadowAlarmManager.setAutoSchedule(true);
    AsyncPools pools = new AsyncPools();
    ReflectionHelpers.setStaticField(AsyncTask.class, "THREAD_POOL_EXECUTOR", pools.pool());
    ReflectionHelpers.setStaticField(AsyncTask.class, "SERIAL_EXECUTOR", pools.serial());
    ReflectionHelpers.setStaticField(AsyncTask.class, "sDefaultExecutor", pools.serial());
    // Older apps may use the network on their main thread, as they could on the phones of their
    // time.
    StrictMode.setThreadPolicy(
        settings.manifest().applicationInfo.targetSdkVersion < Build.VERSION_CODES.HONEYCOMB
            ? StrictMode.ThreadPolicy.LAX
            : new StrictMode.ThreadPolicy.Builder()
                .detectNetwork()
                .penaltyDeathOnNetwork()
                .build());
    world.setMainNetworkCheck(() -> BlockGuard.getThreadPolicy().onNetwork());
    ShadowLog.stream = null;
    Logs.reset();
  }

  private static void advanceFramework(long uptimeMillis) {
    long behind = uptimeMillis - android.os.SystemClock.uptimeMillis();
    if (behind > 0) {
      ShadowSystemClock.advanceBy(Duration.ofMillis(behind));
    }
  }

  private void endRun() {
    if (device != null) {
      World.end();
      device.content().close();
      device = null;
    }
    Recorder.close();
    tight = Heap.isTight();
  }

  @Override
  public boolean isTight() {
    return tight;
  }

  @Override
  public byte[] screenshot() throws IOException {
    if (device == null) {
      throw new IllegalArgumentException("the app is not running: launch it first");
    }
    return Picture.png(device);
  }

  @Override
  public JsonObject listening() {
    JsonArray actions = new JsonArray();
    if (device != null) {
      device.receivers().actions().forEach(actions::add);
    }
    JsonObject reply = new JsonObject();
    reply.add("actions", actions);
    return reply;
  }

  @Override
  public JsonObject decisions() {
    JsonArray made = new JsonArray();
    if (world != null) {
      for (World.Decision decision : world.decisions()) {
        JsonArray one = new JsonArray();
        one.add(decision.what());
        one.add(decision.atMillis());
        one.add(decision.dueMillis());
        made.add(one);
      }
    }
    JsonObject reply = new JsonObject();
    reply.add("decisions", made);
    return reply;
  }

  @Override
  public byte[] executionData() throws IOException {
    if (probes == null) {
      throw new UnsupportedOperationException("coverage is off");
    }
    if (device == null) {
      throw new IllegalArgumentException("the app is not running: launch it first");
    }
    // The times of the app's own clock, so that the same run gives the same bytes everywhere.
    String id = device.packageName() + " in world " + world.seed();
    return probes.executionData(new SessionInfo(id, World.epochMillis(), world.wallMillis()));
  }

  @Override
  public byte[] probeHits() throws ReflectiveOperationException {
    if (device == null) {
      throw new IllegalArgumentException("the app is not running: launch it first");
    }
    Field field;
    try {
      field = device.loader().loadClass("dev.fewtaps.probes.Probes").getDeclaredField("HITS");
    } catch (ClassNotFoundException e) {
      throw new UnsupportedOperationException("the app is not instrumented", e);
    }
    field.setAccessible(true);
    ByteBuffer hits = (ByteBuffer) field.get(null);
    BitSet bits = new BitSet();
    for (int i = 0; i < hits.limit(); i++) {
      bits.set(i, hits.get(i) != 0);
    }
    return bits.toByteArray();
  }

  @Override
  public JsonObject mutants(JsonObject request) {
    if (probes == null) {
      throw new UnsupportedOperationException("coverage is off");
    }
    return new MutantList(code, probes).reply(request);
  }

  @Override
  public JsonObject turns() {
    if (device == null) {
      throw new IllegalArgumentException("the app is not running: launch it first");
    }
    JsonObject reply = new JsonObject();
    reply.addProperty("turns", world.turns());
    reply.addProperty("endless", world.isEndless());
    return reply;
  }

  @Override
  public String code(JsonObject request) throws IOException {
    return recordings.code(code, request);
  }

  @Override
  public JsonObject probes() {
    JsonObject reply = new JsonObject();
    reply.add(
        "classes",
        probes == null
            ? new JsonArray()
            : new com.google.gson.Gson().toJsonTree(probes.probeMap()));
    return reply;
  }

  @Override
  public boolean isHung() {
    World running = world;
    return running != null && running.hangs() != null;
  }

  /** What the open app's code reads of JSON, looked up when it is first needed. */
  private synchronized ReadField.All reads() {
    if (reads == null) {
      reads = JsonReads.of(code);
    }
    return reads;
  }

  @Override
  public String hungStep(StackTraceElement[] mainStack) {
    if (world != null && Heap.isNearlyFull()) {
      // It is not the app that takes so long, but the search for room.
      reserve = null;
      OutOfMemoryError full = new OutOfMemoryError("the app left no memory to go on with");
      full.setStackTrace(mainStack);
      return lastStep(crashes.outOfMemory(world, full), "crashed");
    }
    return lastStep(crashes.hang("the main thread did not come back", mainStack), "anr");
  }

  /**
   * A step after which this process is of no use; of the screen there is only what was seen last.
   */
  private String lastStep(JsonObject crash, String ending) {
    return "{\"screen\":"
        + lastScreen
        + ",\"new\":{},\"log\":[],\"crash\":"
        + crash
        + ",\"ending\":\""
        + ending
        + "\",\"notes\":[],\"fatal\":true,\"clock_ms\":"
        + (world == null ? 0 : world.uptimeMillis())
        + (world == null ? "" : ",\"asked_world\":" + world.isAsked())
        + "}";
  }
}
