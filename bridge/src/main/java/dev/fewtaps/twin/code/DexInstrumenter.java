package dev.fewtaps.twin.code;

import com.google.gson.Gson;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.jf.dexlib2.Opcodes;
import org.jf.dexlib2.builder.MutableMethodImplementation;
import org.jf.dexlib2.dexbacked.DexBackedDexFile;
import org.jf.dexlib2.dexbacked.raw.HeaderItem;
import org.jf.dexlib2.iface.ClassDef;
import org.jf.dexlib2.iface.Field;
import org.jf.dexlib2.iface.Method;
import org.jf.dexlib2.iface.MethodImplementation;
import org.jf.dexlib2.immutable.ImmutableClassDef;
import org.jf.dexlib2.immutable.ImmutableField;
import org.jf.dexlib2.immutable.ImmutableMethod;
import org.jf.dexlib2.immutable.value.ImmutableIntEncodedValue;
import org.jf.dexlib2.immutable.value.ImmutableStringEncodedValue;
import org.jf.dexlib2.writer.io.MemoryDataStore;
import org.jf.dexlib2.writer.pool.DexPool;

/**
 * Writes the DEX files of an app again, with probes in its own methods, and a table that says what
 * each probe proves in the numbers of {@link CoverageProbes}.
 */
public final class DexInstrumenter {
  /** Of the 65,536 names of a kind that a DEX file can have, those that the probes may need. */
  private static final int NAMES_NEEDED = 8;

  private static final int MOST_NAMES = 65_536;
  private static final String LIMITS = "Ldev/fewtaps/probes/Limits;";
  private static final int TOLD = 20;

  private final AppCode code;
  private final CoverageProbes coverage;
  private final CoverageIndex index;
  private final String app;
  private final List<Probe> probes = new ArrayList<>();
  private final Set<String> seen = new HashSet<>();
  private final List<String> notes = new ArrayList<>();
  private int instrumented;
  private int skipped;
  private int branchesLeftOut;

  /**
   * Prepares to instrument an app.
   *
   * @param scope which classes are measured, as in {@link CoverageProbes}
   * @param app its package
   */
  public DexInstrumenter(AppCode code, String scope, String app) {
    this.code = code;
    this.app = app;
    this.coverage = scope.equals("all") ? CoverageProbes.ofAll(code) : CoverageProbes.ofApp(code);
    this.index = coverage.index();
  }

  /** What one probe proves. */
  private record Probe(
      TreeSet<Integer> branches, TreeSet<Integer> lines, TreeSet<Integer> methods) {
    Probe() {
      this(new TreeSet<>(), new TreeSet<>(), new TreeSet<>());
    }
  }

  /** What a class has of lines, methods and branches, by what DEX knows of them. */
  private record Known(
      Map<Integer, Integer> lines,
      Map<String, Integer> methods,
      Map<Integer, Map<Integer, List<Integer>>> branches) {}

  /** Writes the DEX files and the table {@code probes.json} into a ZIP file. */
  public void write(Path target) throws IOException {
    Map<String, byte[]> files = new LinkedHashMap<>();
    List<String> names = code.dexNames();
    for (String name : names) {
      byte[] old = code.resource(name);
      byte[] fresh = instrument(name, old);
      if (fresh != null) {
        files.put(name, fresh);
      }
    }
    if (probes.isEmpty()) {
      throw new IllegalArgumentException("the app has no code of its own that could be measured");
    }
    files.put("classes" + (lastNumber(names) + 1) + ".dex", runtime());
    files.put("probes.json", table().getBytes(StandardCharsets.UTF_8));
    try (OutputStream raw = new BufferedOutputStream(Files.newOutputStream(target), 1 << 16);
        ZipOutputStream zip = new ZipOutputStream(raw)) {
      for (Map.Entry<String, byte[]> file : files.entrySet()) {
        zip.putNextEntry(new ZipEntry(file.getKey()));
        zip.write(file.getValue());
      }
    }
  }

  /** How many probes there are. */
  public int probeCount() {
    return probes.size();
  }

  /** How many methods have probes, and how many could not be given any. */
  public int[] methodCounts() {
    return new int[] {instrumented, skipped};
  }

  /** What was left out, a line each. */
  public List<String> notes() {
    List<String> all = new ArrayList<>(notes);
    if (skipped > TOLD) {
      all.add((skipped - TOLD) + " more methods are not measured");
    }
    if (branchesLeftOut > 0) {
      all.add(
          branchesLeftOut
              + " branches are not measured: the translated code has others on their lines");
    }
    return all;
  }

  private static int lastNumber(List<String> names) {
    int last = 1;
    for (String name : names) {
      String digits = name.replaceAll("\\D", "");
      last = Math.max(last, digits.isEmpty() ? 1 : Integer.parseInt(digits));
    }
    return last;
  }

  /** Returns the file with probes, or null if it stays as it is. */
  private byte[] instrument(String name, byte[] bytes) throws IOException {
    Opcodes opcodes = Opcodes.forDexVersion(HeaderItem.getVersion(bytes, 0));
    DexBackedDexFile file = new DexBackedDexFile(opcodes, bytes);
    if (file.getMethodSection().size() + NAMES_NEEDED > MOST_NAMES
        || file.getTypeSection().size() + NAMES_NEEDED > MOST_NAMES) {
      notes.add(name + " is full: its classes are not measured");
      return null;
    }
    DexPool pool = new DexPool(opcodes);
    boolean isChanged = false;
    for (ClassDef type : file.getClasses()) {
      ClassDef fresh = instrument(type);
      isChanged |= fresh != type;
      pool.internClass(fresh);
    }
    if (!isChanged) {
      return null;
    }
    MemoryDataStore store = new MemoryDataStore(bytes.length * 2);
    pool.writeTo(store);
    return store.getData();
  }

  private ClassDef instrument(ClassDef type) {
    String internal = type.getType().substring(1, type.getType().length() - 1);
    String dotted = internal.replace('/', '.');
    // Of two classes with one name, Android takes the first.
    if (!seen.add(dotted) || !coverage.measures(dotted) || code.bytes(dotted) == null) {
      return type;
    }
    Known known = known(dotted);
    if (known.methods.isEmpty()) {
      return type;
    }
    List<Method> methods = new ArrayList<>();
    boolean isChanged = false;
    for (Method method : type.getMethods()) {
      Method fresh = instrument(method, dotted, known);
      isChanged |= fresh != method;
      methods.add(fresh);
    }
    if (!isChanged) {
      return type;
    }
    return new ImmutableClassDef(
        type.getType(),
        type.getAccessFlags(),
        type.getSuperclass(),
        type.getInterfaces(),
        type.getSourceFile(),
        type.getAnnotations(),
        type.getFields(),
        methods);
  }

  private Method instrument(Method method, String owner, Known known) {
    MethodImplementation body = method.getImplementation();
    Integer number = known.methods.get(method.getName() + descriptor(method));
    if (body == null || number == null) {
      return method;
    }
    MutableMethodImplementation changed = DexProbes.widened(body);
    DexFlow flow = DexFlow.of(changed, probes.size());
    String obstacle = DexProbes.obstacle(body, flow);
    if (obstacle != null) {
      if (++skipped <= TOLD) {
        notes.add(owner + "." + method.getName() + " is not measured: " + obstacle);
      }
      return method;
    }
    while (probes.size() < flow.nextProbe()) {
      probes.add(new Probe());
    }
    instrumented++;
    note(flow, number, known);
    DexProbes.put(method, changed, flow.points());
    return new ImmutableMethod(
        method.getDefiningClass(),
        method.getName(),
        method.getParameters(),
        method.getReturnType(),
        method.getAccessFlags(),
        method.getAnnotations(),
        method.getHiddenApiRestrictions(),
        changed);
  }

  /** Remembers what the probes of a method prove. */
  private void note(DexFlow flow, int method, Known known) {
    Map<Integer, List<Proofs>> branches = new HashMap<>();
    Proofs last = null;
    for (DexFlow.Step step : flow.steps()) {
      Proofs proofs = step.proofs();
      if (proofs != last) {
        proofs.probes().forEach(probe -> probes.get(probe).methods.add(method));
        last = proofs;
      }
      Integer line = known.lines.get(step.line());
      if (line != null) {
        proofs.probes().forEach(probe -> probes.get(probe).lines.add(line));
      }
      List<Proofs> ways = step.branches();
      if (ways.size() > 1) {
        branches.computeIfAbsent(step.line(), key -> new ArrayList<>()).addAll(ways);
      }
    }
    known
        .branches
        .getOrDefault(method, Map.of())
        .forEach(
            (line, numbers) -> {
              List<Proofs> found = branches.getOrDefault(line, List.of());
              if (found.size() != numbers.size()) {
                branchesLeftOut += numbers.size();
                return;
              }
              for (int i = 0; i < numbers.size(); i++) {
                int branch = numbers.get(i);
                found.get(i).probes().forEach(probe -> probes.get(probe).branches.add(branch));
              }
            });
  }

  private Known known(String name) {
    ClassModel model = ClassModel.of(code.bytes(name));
    Map<Integer, Integer> lines = new HashMap<>();
    model.lines().forEach(place -> lines.put(place.line(), index.line(name, place.line())));
    Map<String, Integer> methods = new HashMap<>();
    int first = index.firstMethod(name);
    int number = first;
    for (ClassModel.Method method : model.methods()) {
      methods.put(method.name() + method.desc(), number++);
    }
    Map<Integer, Map<Integer, List<Integer>>> branches = new HashMap<>();
    int branch = index.firstBranch(name);
    for (ClassModel.Branch each : model.branches()) {
      branches
          .computeIfAbsent(first + each.method(), key -> new TreeMap<>())
          .computeIfAbsent(each.line(), key -> new ArrayList<>())
          .add(branch++);
    }
    return new Known(lines, methods, branches);
  }

  private static String descriptor(Method method) {
    StringBuilder text = new StringBuilder("(");
    method.getParameterTypes().forEach(text::append);
    return text.append(')').append(method.getReturnType()).toString();
  }

  /** The classes that are added to the app, with its limits. */
  private byte[] runtime() throws IOException {
    byte[] bytes;
    try (InputStream in = DexInstrumenter.class.getResourceAsStream("/fewtaps/probes.dex")) {
      bytes = in.readAllBytes();
    }
    DexBackedDexFile file = new DexBackedDexFile(Opcodes.forApi(21), bytes);
    DexPool pool = new DexPool(file.getOpcodes());
    for (ClassDef type : file.getClasses()) {
      pool.internClass(type.getType().equals(LIMITS) ? limits(type) : type);
    }
    MemoryDataStore store = new MemoryDataStore();
    pool.writeTo(store);
    return store.getData();
  }

  /** The class of limits with this app's, and without the code that gives it others. */
  private ClassDef limits(ClassDef type) {
    List<Field> fields = new ArrayList<>();
    for (Field field : type.getFields()) {
      fields.add(
          new ImmutableField(
              field.getDefiningClass(),
              field.getName(),
              field.getType(),
              field.getAccessFlags(),
              field.getName().equals("count")
                  ? new ImmutableIntEncodedValue(probes.size())
                  : new ImmutableStringEncodedValue(app),
              field.getAnnotations(),
              field.getHiddenApiRestrictions()));
    }
    List<Method> methods = new ArrayList<>();
    for (Method method : type.getMethods()) {
      if (!method.getName().equals("<clinit>")) {
        methods.add(method);
      }
    }
    return new ImmutableClassDef(
        type.getType(),
        type.getAccessFlags(),
        type.getSuperclass(),
        type.getInterfaces(),
        type.getSourceFile(),
        type.getAnnotations(),
        fields,
        methods);
  }

  private String table() {
    Map<String, Object> table = new LinkedHashMap<>();
    table.put("version", 1);
    table.put("app", app);
    table.put("origin", code.digest());
    table.put("scope", coverage.scope());
    table.put("classes", coverage.probeMap());
    List<List<List<Object>>> proved = new ArrayList<>();
    for (Probe probe : probes) {
      proved.add(List.of(runs(probe.branches), runs(probe.lines), runs(probe.methods)));
    }
    table.put("probes", proved);
    return new Gson().toJson(table);
  }

  /** Numbers; three or more in a row are one pair of the first and the last. */
  private static List<Object> runs(TreeSet<Integer> numbers) {
    List<Object> runs = new ArrayList<>();
    List<Integer> sorted = List.copyOf(numbers);
    for (int i = 0; i < sorted.size(); ) {
      int end = i;
      while (end + 1 < sorted.size() && sorted.get(end + 1) == sorted.get(end) + 1) {
        end++;
      }
      if (end - i >= 2) {
        runs.add(List.of(sorted.get(i), sorted.get(end)));
      } else {
        runs.addAll(sorted.subList(i, end + 1));
      }
      i = end + 1;
    }
    return runs;
  }
}
