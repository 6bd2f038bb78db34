package dev.fewtaps.twin.code;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import dev.fewtaps.twin.code.CoverageProbes.NewCoverage;
import dev.fewtaps.twin.code.CoverageProbes.Totals;
import dev.fewtaps.twin.code.fixture.Covered;
import dev.fewtaps.twin.code.fixture.Rewritten;
import dev.fewtaps.twin.code.fixture.Sharing;
import java.io.IOException;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
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
  @Rule public final TemporaryFolder folder = new TemporaryFolder();
  private MeasuredApk apk;
  private CoverageProbes probes;

  @Before
  public void open() throws Exception {
    apk = new MeasuredApk(folder.getRoot().toPath());
    probes = apk.probes;
  }

  @After
  public void close() throws IOException {
    apk.close();
  }

  @Test
  public void tellsOnlyWhatIsNewInThisRun() throws Exception {
    probes.startRun();
    Class<?> type = apk.load(Covered.class);
    MeasuredApk.choose(type, 1);
    NewCoverage first = probes.takeNew();
    assertTrue(first.lines().length > 3);
    assertEquals(2, first.methods().length);
    MeasuredApk.choose(type, 1);
    NewCoverage again = probes.takeNew();
    assertEquals(0, again.lines().length + again.branches().length + again.methods().length);
    MeasuredApk.choose(type, 9);
    NewCoverage more = probes.takeNew();
    assertTrue(more.branches().length > 2);
    assertEquals(0, more.methods().length);
    probes.startRun();
    MeasuredApk.choose(apk.load(Covered.class), 1);
    NewCoverage fresh = probes.takeNew();
    assertEquals(Arrays.toString(first.branches()), Arrays.toString(fresh.branches()));
    assertEquals(Arrays.toString(first.lines()), Arrays.toString(fresh.lines()));
  }

  @Test
  public void numbersDoNotDependOnTheOrderOfLoading() throws Exception {
    probes.startRun();
    apk.load(Covered.Kind.class).getMethod("values").invoke(null);
    NewCoverage kind = probes.takeNew();
    probes.startRun();
    MeasuredApk.choose(apk.load(Covered.class), 2);
    apk.load(Covered.Kind.class).getMethod("values").invoke(null);
    List<Integer> later = Arrays.stream(probes.takeNew().lines()).boxed().toList();
    for (int line : kind.lines()) {
      assertTrue(later.contains(line));
    }
  }

  @Test
  public void codeInInterfacesIsMeasured() throws Exception {
    probes.startRun();
    Class<?> type = apk.load(Covered.Impl.class);
    assertEquals("named", type.getMethod("name").invoke(type.getConstructor().newInstance()));
    assertEquals(2, probes.takeNew().methods().length);
  }

  @Test
  public void mapNamesEveryNumberOnce() {
    Totals totals = probes.totals();
    BitSet methods = new BitSet();
    BitSet branches = new BitSet();
    Map<Integer, String> lines = new HashMap<>();
    for (Map<String, Object> entry : probes.probeMap()) {
      collect(entry.get("methods"), methods);
      collect(entry.get("branches"), branches);
      for (Object line : (List<?>) entry.get("lines")) {
        String place = entry.get("file") + ":" + ((List<?>) line).get(1);
        String other = lines.put((Integer) ((List<?>) line).get(0), place);
        assertTrue(place + " or " + other, other == null || other.equals(place));
      }
      assertTrue(entry.get("file").toString().endsWith(".java"));
    }
    assertEquals(totals, new Totals(branches.length(), lines.size(), methods.length()));
    assertEquals(totals, new Totals(branches.cardinality(), lines.size(), methods.cardinality()));
    assertEquals(lines.size(), lines.values().stream().distinct().count());
    assertEquals(lines.size() - 1, (int) lines.keySet().stream().max(Integer::compare).get());
  }

  private static void collect(Object entries, BitSet into) {
    for (Object entry : (List<?>) entries) {
      int number = (Integer) ((List<?>) entry).get(0);
      assertTrue("twice: " + number, !into.get(number));
      into.set(number);
    }
  }

  @Test
  public void classesThatShareALineShareItsNumber() throws Exception {
    probes.startRun();
    Class<?> type = apk.load(Sharing.class);
    Object object = type.getConstructor().newInstance();
    Runnable idle = (Runnable) type.getMethod("idle").invoke(object);
    assertTrue(probes.takeNew().lines().length > 0);
    idle.run();
    NewCoverage fresh = probes.takeNew();
    assertEquals(0, fresh.lines().length);
    assertEquals(1, fresh.methods().length);
  }

  @Test
  public void totalsAreTheSameFromDisk() {
    Totals first = probes.totals();
    assertEquals(first, CoverageProbes.ofAll(apk.code).totals());
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
