package dev.fewtaps.twin.code;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.jacoco.core.JaCoCo;
import org.jacoco.core.data.ExecutionData;
import org.jacoco.core.data.ExecutionDataWriter;
import org.jacoco.core.data.SessionInfo;
import org.jacoco.core.internal.data.CRC64;
import org.jacoco.core.internal.flow.ClassProbesAdapter;
import org.jacoco.core.internal.instr.ClassInstrumenter;
import org.jacoco.core.internal.instr.ProbeArrayStrategyFactory;
import org.jacoco.core.runtime.IExecutionDataAccessorGenerator;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * Tells, after each event, which branches, lines and methods were covered for the first time, and
 * on request all that were covered.
 *
 * <p>Everything coverable in the measured classes has a number that depends on the APK alone. The
 * probes are JaCoCo's, put in by its instrumenter as classes load.
 */
public final class CoverageProbes {
  private static final String SELF = Type.getInternalName(CoverageProbes.class);
  private static volatile CoverageProbes active;

  /** Probes without hits; comparing with it is faster than a look at each probe. */
  private static final boolean[] NONE = new boolean[1 << 12];

  private final AppCode code;
  private final Set<String> measured;
  private final String scope;
  private final CompletableFuture<CoverageIndex> index;
  private final Map<String, ClassModel> models = new ConcurrentHashMap<>();
  private final Map<String, Record> thisRun = new ConcurrentHashMap<>();
  private final BitSet[] known = {new BitSet(), new BitSet(), new BitSet()};

  private CoverageProbes(AppCode code, List<String> sortedNames, String scope) {
    this.code = code;
    this.measured = Set.copyOf(sortedNames);
    this.scope = scope;
    List<String> makers =
        List.of("ClassModel", "MethodFlow", "Proofs", "AppPackages", "ShrunkClasses");
    String version = Fingerprint.of(makers, scope, JaCoCo.VERSION);
    Path file = code.directory().resolve("coverage-" + version + ".index");
    this.index =
        CompletableFuture.supplyAsync(
            () -> CoverageIndex.load(code, sortedNames, file),
            task -> {
              Thread thread = new Thread(task, "fewtaps coverage index");
              thread.setDaemon(true);
              thread.start();
            });
  }

  /** Measures the app's own classes. */
  public static CoverageProbes ofApp(AppCode code) {
    return new CoverageProbes(code, names(code, "app"), "app" + code.choice());
  }

  /** Measures every class in the APK. */
  public static CoverageProbes ofAll(AppCode code) {
    return new CoverageProbes(code, names(code, "all"), "all");
  }

  /** The classes that belong to a scope, sorted. */
  static List<String> names(AppCode code, String scope) {
    return scope.equals("all")
        ? code.classNames().stream().sorted().toList()
        : code.appClassNames();
  }

  /** Names what is measured: the app's classes or all. */
  String scope() {
    return scope;
  }

  /** Whether a class is measured, by its dotted name. */
  public boolean measures(String className) {
    return measured.contains(className);
  }

  /** Returns a visitor that puts the probes of the class in {@code reader} and passes it on. */
  ClassVisitor instrumenter(byte[] bytes, ClassReader reader, ClassVisitor next) {
    IExecutionDataAccessorGenerator access = CoverageProbes::generateAccess;
    // Without frames, as everything else about the app's classes: nothing verifies them.
    return new ClassProbesAdapter(
        new ClassInstrumenter(
            ProbeArrayStrategyFactory.createFor(CRC64.classId(bytes), reader, access), next),
        false);
  }

  private static int generateAccess(long id, String name, int count, MethodVisitor visitor) {
    visitor.visitLdcInsn(id);
    visitor.visitLdcInsn(name);
    visitor.visitLdcInsn(count);
    visitor.visitMethodInsn(
        Opcodes.INVOKESTATIC, SELF, "probes", "(JLjava/lang/String;I)[Z", false);
    return 4;
  }

  /** Called by instrumented classes: returns the array in which a class marks what it executes. */
  public static boolean[] probes(long classId, String name, int count) {
    CoverageProbes probes = active;
    String dotted = name.replace('/', '.');
    if (probes == null || !probes.measured.contains(dotted)) {
      return new boolean[count];
    }
    return probes.thisRun.computeIfAbsent(dotted, key -> new Record(classId, count)).live;
  }

  /** Starts a run in which nothing is covered yet; classes loaded from now on report to it. */
  public synchronized void startRun() {
    thisRun.clear();
    for (BitSet numbers : known) {
      numbers.clear();
    }
    active = this;
  }

  /** Returns what was covered since the last call and never before in this run. */
  public synchronized CoverageNumbers takeNew() {
    BitSet[] fresh = {new BitSet(), new BitSet(), new BitSet()};
    for (Map.Entry<String, Record> entry : thisRun.entrySet()) {
      BitSet hits = entry.getValue().takeFirstHits();
      if (!hits.isEmpty()) {
        collect(entry.getKey(), hits, fresh);
      }
    }
    return removeKnown(fresh);
  }

  /**
   * Returns all that was covered since the last call, and what of it never before in this run.
   *
   * <p>The probes are emptied for the next step and added up for the run. A run uses this method
   * after each of its steps, or takeNew.
   */
  public synchronized StepCoverage takeStep() {
    BitSet[] ran = {new BitSet(), new BitSet(), new BitSet()};
    for (Map.Entry<String, Record> entry : thisRun.entrySet()) {
      BitSet hits = entry.getValue().takeHits();
      if (!hits.isEmpty()) {
        collect(entry.getKey(), hits, ran);
      }
    }
    CoverageNumbers all = covered(ran);
    return new StepCoverage(removeKnown(ran), all);
  }

  private CoverageNumbers removeKnown(BitSet[] fresh) {
    for (int kind = 0; kind < 3; kind++) {
      fresh[kind].andNot(known[kind]);
      known[kind].or(fresh[kind]);
    }
    return covered(fresh);
  }

  private static CoverageNumbers covered(BitSet[] sets) {
    return new CoverageNumbers(numbers(sets[0]), numbers(sets[1]), numbers(sets[2]));
  }

  private static int[] numbers(BitSet set) {
    return set.stream().toArray();
  }

  private void collect(String name, BitSet hits, BitSet[] into) {
    ClassModel model = model(name);
    CoverageIndex numbers = index.join();
    int branch = numbers.firstBranch(name);
    for (ClassModel.Branch place : model.branches()) {
      into[0].set(branch++, place.proofs().intersects(hits));
    }
    for (ClassModel.Place place : model.lines()) {
      if (place.proofs().intersects(hits)) { // Another class may have covered the same line.
        into[1].set(numbers.line(name, place.line()));
      }
    }
    int method = numbers.firstMethod(name);
    for (ClassModel.Method place : model.methods()) {
      into[2].set(method++, place.proofs().intersects(hits));
    }
  }

  private ClassModel model(String name) {
    return models.computeIfAbsent(name, key -> ClassModel.of(code.bytes(key)));
  }

  /** Returns how much there is to cover; the first time for an APK this takes a while. */
  public Totals totals() {
    int[] totals = index.join().totals();
    return new Totals(totals[0], totals[1], totals[2]);
  }

  /** Says what the numbers mean, as the bridge protocol's {@code probes} wants it. */
  public List<Map<String, Object>> probeMap() {
    CoverageIndex numbers = index.join();
    List<Map<String, Object>> classes = new ArrayList<>();
    for (String name : numbers.names()) {
      if (code.bytes(name) == null) {
        continue;
      }
      ClassModel model = ClassModel.of(code.bytes(name));
      if (model.methods().isEmpty()) {
        continue;
      }
      Map<String, Object> entry = new LinkedHashMap<>();
      entry.put("name", name);
      if (model.file() != null) {
        entry.put("file", model.file());
      }
      entry.put("methods", methods(model, numbers.firstMethod(name)));
      entry.put("lines", lines(model, name, numbers));
      entry.put("branches", branches(model, name, numbers));
      classes.add(entry);
    }
    return classes;
  }

  /** The numbers of all that can be covered. */
  CoverageIndex index() {
    return index.join();
  }

  /** The measured classes, sorted. */
  public List<String> names() {
    return index.join().names();
  }

  /** The numbers of the lines and the methods of a measured class. */
  public Numbers numbers(String name) {
    CoverageIndex all = index.join();
    ClassModel model = model(name);
    Map<Integer, Integer> lines = new HashMap<>();
    model.lines().forEach(place -> lines.put(place.line(), all.line(name, place.line())));
    Map<String, Integer> methods = new HashMap<>();
    int number = all.firstMethod(name);
    for (ClassModel.Method method : model.methods()) {
      methods.put(method.name() + method.desc(), number++);
    }
    return new Numbers(lines, methods);
  }

  /** Numbers by source line, and by name and descriptor of a method. */
  public record Numbers(Map<Integer, Integer> lines, Map<String, Integer> methods) {}

  private static List<List<Object>> methods(ClassModel model, int start) {
    return IntStream.range(0, model.methods().size())
        .mapToObj(
            i -> {
              ClassModel.Method method = model.methods().get(i);
              return List.<Object>of(start + i, method.name(), method.desc(), method.firstLine());
            })
        .toList();
  }

  private static List<List<Integer>> lines(ClassModel model, String name, CoverageIndex numbers) {
    return model.lines().stream()
        .map(place -> List.of(numbers.line(name, place.line()), place.line()))
        .toList();
  }

  private static List<List<Integer>> branches(
      ClassModel model, String name, CoverageIndex numbers) {
    int start = numbers.firstBranch(name);
    int firstMethod = numbers.firstMethod(name);
    return IntStream.range(0, model.branches().size())
        .mapToObj(
            i -> {
              ClassModel.Branch branch = model.branches().get(i);
              return List.of(start + i, branch.line(), firstMethod + branch.method());
            })
        .toList();
  }

  /** Returns what this run has executed as JaCoCo writes it, with the run as its session. */
  public synchronized byte[] executionData(SessionInfo run) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    ExecutionDataWriter writer = new ExecutionDataWriter(bytes);
    writer.visitSessionInfo(run);
    for (Map.Entry<String, Record> entry : new TreeMap<>(thisRun).entrySet()) {
      Record record = entry.getValue();
      String name = entry.getKey().replace('.', '/');
      writer.visitClassExecution(new ExecutionData(record.classId, name, record.executed()));
    }
    writer.flush();
    return bytes.toByteArray();
  }

  /** The probes of one class. */
  private static final class Record {
    private final long classId;
    private final boolean[] live;

    /** What was told of the run so far. */
    private final boolean[] taken;

    Record(long classId, int count) {
      this.classId = classId;
      this.live = new boolean[count];
      this.taken = new boolean[count];
    }

    /** Takes the hits that were not told in this run. */
    BitSet takeFirstHits() {
      BitSet hits = new BitSet();
      for (int i = Arrays.mismatch(live, taken); i >= 0 && i < live.length; i++) {
        if (live[i] && !taken[i]) {
          taken[i] = true;
          hits.set(i);
        }
      }
      return hits;
    }

    /**
     * Takes all hits since the last call and empties the probes.
     *
     * <p>Only what was seen to be set is emptied, in the array itself: the class keeps it, and so
     * does a method of it that still runs on another thread.
     */
    BitSet takeHits() {
      BitSet hits = new BitSet();
      for (int i = firstHit(); i >= 0 && i < live.length; i++) {
        if (live[i]) {
          live[i] = false;
          taken[i] = true;
          hits.set(i);
        }
      }
      return hits;
    }

    private int firstHit() {
      int compared = Math.min(live.length, NONE.length);
      int first = Arrays.mismatch(live, 0, compared, NONE, 0, compared);
      return first < 0 && compared < live.length ? compared : first;
    }

    /** What was executed in this run, told or not. */
    boolean[] executed() {
      boolean[] all = live.clone();
      for (int i = 0; i < all.length; i++) {
        all[i] |= taken[i];
      }
      return all;
    }
  }

  /** Numbers of what was covered, ascending. */
  public record CoverageNumbers(int[] branches, int[] lines, int[] methods) {}

  /** What a step covered for the first time in the run, and all that it covered. */
  public record StepCoverage(CoverageNumbers fresh, CoverageNumbers ran) {}

  /** How many branches, lines and methods there are. */
  public record Totals(int branches, int lines, int methods) {}
}
