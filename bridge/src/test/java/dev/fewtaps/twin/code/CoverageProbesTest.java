package dev.fewtaps.twin.code;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import dev.fewtaps.twin.code.CoverageProbes.NewCoverage;
import dev.fewtaps.twin.code.CoverageProbes.Totals;
import dev.fewtaps.twin.code.fixture.Covered;
import dev.fewtaps.twin.code.fixture.Rewritten;
import dev.fewtaps.twin.code.fixture.Shapes;
import dev.fewtaps.twin.code.fixture.TestHooks;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jacoco.core.analysis.Analyzer;
import org.jacoco.core.analysis.CoverageBuilder;
import org.jacoco.core.analysis.IClassCoverage;
import org.jacoco.core.data.ExecutionData;
import org.jacoco.core.data.ExecutionDataStore;
import org.jacoco.core.internal.data.CRC64;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class CoverageProbesTest {
  private static final String COVERED = Covered.class.getName();

  @Rule public final TemporaryFolder folder = new TemporaryFolder();
  private AppCode code;
  private CoverageProbes probes;
  private Transform transform;

  @Before
  public void open() throws Exception {
    Path apk =
        new TestApk()
            .dex(
                Covered.class,
                Covered.Kind.class,
                Covered.Named.class,
                Covered.Impl.class,
                Shapes.class)
            .write(folder.newFile("a.apk").toPath());
    code = AppCode.open(apk, folder.newFolder().toPath());
    probes = CoverageProbes.ofAll(code);
    HookTable hooks = HookTable.of(List.of(TestHooks.class));
    CallRewriter rewriter = new CallRewriter(hooks, code, getClass().getClassLoader());
    transform = Transform.remembering(new AppTransform(rewriter, probes));
  }

  @After
  public void close() throws IOException {
    code.close();
  }

  private Class<?> load(String name) throws Exception {
    ClassLoader loader =
        new ClassLoader(getClass().getClassLoader()) {
          @Override
          protected Class<?> loadClass(String wanted, boolean resolve)
              throws ClassNotFoundException {
            Class<?> known = findLoadedClass(wanted);
            if (known != null || !code.hasClass(wanted)) {
              return known != null ? known : super.loadClass(wanted, resolve);
            }
            byte[] bytes = transform.apply(wanted, code.bytes(wanted));
            return defineClass(wanted, bytes, 0, bytes.length);
          }
        };
    return Class.forName(name, true, loader);
  }

  private static void choose(Class<?> type, int n) throws Exception {
    TestHooks.ticks = 0;
    type.getMethod("choose", int.class).invoke(type.getConstructor().newInstance(), n);
  }

  @Test
  public void tellsOnlyWhatIsNewInThisRun() throws Exception {
    probes.startRun();
    Class<?> type = load(COVERED);
    choose(type, 1);
    NewCoverage first = probes.takeNew();
    assertTrue(first.lines().length > 3);
    assertEquals(2, first.methods().length);
    choose(type, 1);
    NewCoverage again = probes.takeNew();
    assertEquals(0, again.lines().length + again.branches().length + again.methods().length);
    choose(type, 9);
    NewCoverage more = probes.takeNew();
    assertTrue(more.branches().length > 2);
    assertEquals(0, more.methods().length);
    probes.startRun();
    choose(load(COVERED), 1);
    NewCoverage fresh = probes.takeNew();
    assertEquals(Arrays.toString(first.branches()), Arrays.toString(fresh.branches()));
    assertEquals(Arrays.toString(first.lines()), Arrays.toString(fresh.lines()));
  }

  @Test
  public void numbersDoNotDependOnTheOrderOfLoading() throws Exception {
    probes.startRun();
    load(Covered.Kind.class.getName()).getMethod("values").invoke(null);
    NewCoverage kind = probes.takeNew();
    probes.startRun();
    choose(load(COVERED), 2);
    load(Covered.Kind.class.getName()).getMethod("values").invoke(null);
    List<Integer> later = Arrays.stream(probes.takeNew().lines()).boxed().toList();
    for (int line : kind.lines()) {
      assertTrue(later.contains(line));
    }
  }

  @Test
  public void codeInInterfacesIsMeasured() throws Exception {
    probes.startRun();
    Class<?> type = load(Covered.Impl.class.getName());
    assertEquals("named", type.getMethod("name").invoke(type.getConstructor().newInstance()));
    assertEquals(2, probes.takeNew().methods().length);
  }

  @Test
  public void mapNamesEveryNumberOnce() {
    Totals totals = probes.totals();
    BitSet methods = new BitSet();
    BitSet lines = new BitSet();
    BitSet branches = new BitSet();
    for (Map<String, Object> entry : probes.probeMap()) {
      collect(entry.get("methods"), methods);
      collect(entry.get("lines"), lines);
      collect(entry.get("branches"), branches);
      assertTrue(entry.get("file").toString().endsWith(".java"));
    }
    assertEquals(totals, new Totals(branches.length(), lines.length(), methods.length()));
    assertEquals(
        totals, new Totals(branches.cardinality(), lines.cardinality(), methods.cardinality()));
  }

  private static void collect(Object entries, BitSet into) {
    for (Object entry : (List<?>) entries) {
      int number = (Integer) ((List<?>) entry).get(0);
      assertTrue("twice: " + number, !into.get(number));
      into.set(number);
    }
  }

  @Test
  public void totalsAreTheSameFromDisk() {
    Totals first = probes.totals();
    assertEquals(first, CoverageProbes.ofAll(code).totals());
  }

  @Test
  public void reportIsJacocosAndCountsAllRuns() throws Exception {
    probes.startRun();
    choose(load(COVERED), 1);
    probes.startRun();
    choose(load(COVERED), 2);
    Path xml = folder.getRoot().toPath().resolve("jacoco.xml");
    probes.writeXml(xml);
    String text = Files.readString(xml);
    assertTrue(text.contains("<!DOCTYPE report"));
    assertTrue(text.contains("sourcefilename=\"Covered.java\""));
    assertEquals(text, text.replace("sessioninfo", ""));
    assertTrue(text.contains("<method name=\"choose\""));
  }

  @Test
  public void agreesWithJacocosAnalyzer() throws Exception {
    Random random = new Random(1);
    for (Class<?> type :
        List.of(
            Covered.class,
            Covered.Kind.class,
            Covered.Named.class,
            Rewritten.class,
            CoverageProbesTest.class,
            DexConverter.class,
            MethodFlow.class,
            StackCleaner.class,
            String.class)) {
      byte[] bytes = TestApk.bytesOf(type);
      ClassModel model = ClassModel.of(bytes);
      for (int round = 0; round < 6; round++) {
        BitSet hits = new BitSet();
        boolean[] array = new boolean[model.probeCount()];
        for (int i = 0; i < array.length; i++) {
          array[i] = random.nextInt(1 + round) == 0;
          hits.set(i, array[i]);
        }
        assertEquals(type.getName(), jacoco(bytes, type, array), ours(model, hits));
      }
    }
  }

  private static String jacoco(byte[] bytes, Class<?> type, boolean[] array) throws IOException {
    ExecutionDataStore store = new ExecutionDataStore();
    store.put(new ExecutionData(CRC64.classId(bytes), type.getName().replace('.', '/'), array));
    CoverageBuilder builder = new CoverageBuilder();
    new Analyzer(store, builder).analyzeClass(bytes, type.getName());
    IClassCoverage result = builder.getClasses().iterator().next();
    return result.getBranchCounter().getCoveredCount()
        + "/"
        + result.getBranchCounter().getTotalCount()
        + " "
        + result.getLineCounter().getCoveredCount()
        + "/"
        + result.getLineCounter().getTotalCount()
        + " "
        + result.getMethodCounter().getCoveredCount()
        + "/"
        + result.getMethodCounter().getTotalCount();
  }

  private static String ours(ClassModel model, BitSet hits) {
    return count(model.branches().stream().map(ClassModel.Place::proofs).toList(), hits)
        + " "
        + count(model.lines().stream().map(ClassModel.Place::proofs).toList(), hits)
        + " "
        + count(model.methods().stream().map(ClassModel.Method::proofs).toList(), hits);
  }

  private static String count(List<BitSet> proofs, BitSet hits) {
    return proofs.stream().filter(of -> of.intersects(hits)).count() + "/" + proofs.size();
  }
}
