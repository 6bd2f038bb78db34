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
 * Tells, after each event, which branches, lines and methods were covered for the first time.
 *
 * <p>Everything coverable in the measured classes has a number that depends on the APK alone. The
 * probes are JaCoCo's, put in by its instrumenter as classes load.
 */
public final class CoverageProbes {
  private static final String SELF = Type.getInternalName(CoverageProbes.class);
  private static volatile CoverageProbes active;

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
    List<String> makers = List.of("ClassModel", "MethodFlow", "AppPackages");
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
    return new CoverageProbes(code, names(code, "app"), "app");
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
  public synchronized NewCoverage takeNew() {
    BitSet[] fresh = {new BitSet(), new BitSet(), new BitSet()};
    for (Map.Entry<String, Record> entry : thisRun.entrySet()) {
      BitSet hits = entry.getValue().takeHits();
      if (!hits.isEmpty()) {
        collect(entry.getKey(), hits, fresh);
      }
    }
    for (int kind = 0; kind < 3; kind++) {
      fresh[kind].andNot(known[kind]);
      known[kind].or(fresh[kind]);
    }
    return new NewCoverage(numbers(fresh[0]), numbers(fresh[1]), numbers(fresh[2]));
  }

  private static int[] numbers(BitSet set) {
    return set.stream().toArray();
  }

  private void collect(String name, BitSet hits, BitSet[] into) {
    ClassModel model = model(name);
    CoverageIndex numbers = index.join();
    int branch = numbers.firstBranch(name);
    for (ClassModel.Place place : model.branches()) {
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
      entry.put("branches", branches(model, numbers.firstBranch(name)));
      classes.add(entry);
    }
    return classes;
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

  private static List<List<Integer>> branches(ClassModel model, int start) {
    return IntStream.range(0, model.branches().size())
        .mapToObj(i -> List.of(start + i, model.branches().get(i).line()))
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
      writer.visitClassExecution(new ExecutionData(record.classId, name, record.live.clone()));
    }
    writer.flush();
    return bytes.toByteArray();
  }

  /** The probes of one class. */
  private static final class Record {
    private final long classId;
    private final boolean[] live;
    private final boolean[] taken;

    Record(long classId, int count) {
      this.classId = classId;
      this.live = new boolean[count];
      this.taken = new boolean[count];
    }

    BitSet takeHits() {
      BitSet hits = new BitSet();
      for (int i = Arrays.mismatch(live, taken); i >= 0 && i < live.length; i++) {
        if (live[i] && !taken[i]) {
          taken[i] = true;
          hits.set(i);
        }
      }
      return hits;
    }
  }

  /** Numbers covered for the first time, ascending. */
  public record NewCoverage(int[] branches, int[] lines, int[] methods) {}

  /** How many branches, lines and methods there are. */
  public record Totals(int branches, int lines, int methods) {}
}
