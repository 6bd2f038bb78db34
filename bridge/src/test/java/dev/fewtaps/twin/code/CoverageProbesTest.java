package dev.fewtaps.twin.code;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertTrue;

import dev.fewtaps.twin.code.CoverageProbes.CoverageNumbers;
import dev.fewtaps.twin.code.CoverageProbes.StepCoverage;
import dev.fewtaps.twin.code.CoverageProbes.Totals;
import dev.fewtaps.twin.code.fixture.Covered;
import dev.fewtaps.twin.code.fixture.Rewritten;
import dev.fewtaps.twin.code.fixture.Sharing;
import java.io.IOException;
import java.util.ArrayList;
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
import org.jacoco.core.data.SessionInfo;
import org.jacoco.core.internal.data.CRC64;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

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
    CoverageNumbers first = probes.takeNew();
    assertTrue(first.lines().length > 3);
    assertEquals(2, first.methods().length);
    MeasuredApk.choose(type, 1);
    CoverageNumbers again = probes.takeNew();
    assertEquals(0, again.lines().length + again.branches().length + again.methods().length);
    MeasuredApk.choose(type, 9);
    CoverageNumbers more = probes.takeNew();
    assertTrue(more.branches().length > 2);
    assertEquals(0, more.methods().length);
    probes.startRun();
    MeasuredApk.choose(apk.load(Covered.class), 1);
    CoverageNumbers fresh = probes.takeNew();
    assertEquals(Arrays.toString(first.branches()), Arrays.toString(fresh.branches()));
    assertEquals(Arrays.toString(first.lines()), Arrays.toString(fresh.lines()));
  }

  @Test
  public void aStepTellsAllThatRanInIt() throws Exception {
    probes.startRun();
    Class<?> type = apk.load(Covered.class);
    MeasuredApk.choose(type, 1);
    StepCoverage first = probes.takeStep();
    assertSame(first.fresh(), first.ran());
    MeasuredApk.choose(type, 1);
    StepCoverage again = probes.takeStep();
    assertSame(first.ran(), again.ran());
    assertEquals(0, again.fresh().lines().length);
    StepCoverage idle = probes.takeStep();
    assertEquals(0, idle.ran().branches().length + idle.ran().methods().length);
    MeasuredApk.choose(type, 9);
    StepCoverage other = probes.takeStep();
    assertTrue(other.fresh().branches().length < other.ran().branches().length + 1);
    assertTrue(other.ran().lines().length > other.fresh().lines().length);
  }

  @Test
  public void whatIsNewAndWhatWasExecutedIsTheSameWithSteps() throws Exception {
    int[] choices = {1, 1, 9, 2, 9, 4};
    List<CoverageNumbers> plain = new ArrayList<>();
    probes.startRun();
    Class<?> type = apk.load(Covered.class);
    for (int choice : choices) {
      MeasuredApk.choose(type, choice);
      plain.add(probes.takeNew());
    }
    byte[] executed = probes.executionData(new SessionInfo("run", 1, 2));
    probes.startRun();
    type = apk.load(Covered.class);
    for (int i = 0; i < choices.length; i++) {
      MeasuredApk.choose(type, choices[i]);
      assertSame(plain.get(i), probes.takeStep().fresh());
    }
    assertArrayEquals(executed, probes.executionData(new SessionInfo("run", 1, 2)));
  }

  @Test
  public void executionDataHaveWhatNoStepHasToldYet() throws Exception {
    probes.startRun();
    Class<?> type = apk.load(Covered.class);
    MeasuredApk.choose(type, 1);
    probes.takeStep();
    MeasuredApk.choose(type, 9);
    byte[] before = probes.executionData(new SessionInfo("run", 1, 2));
    probes.takeStep();
    assertArrayEquals(before, probes.executionData(new SessionInfo("run", 1, 2)));
  }

  private static void assertSame(CoverageNumbers expected, CoverageNumbers seen) {
    assertArrayEquals(expected.branches(), seen.branches());
    assertArrayEquals(expected.lines(), seen.lines());
    assertArrayEquals(expected.methods(), seen.methods());
  }

  @Test
  public void aBranchBelongsToAMethodOfItsClass() {
    Map<String, Integer> counts = new HashMap<>();
    for (Map<String, Object> entry : probes.probeMap()) {
      Map<Object, String> names = new HashMap<>();
      for (Object method : (List<?>) entry.get("methods")) {
        names.put(((List<?>) method).get(0), (String) ((List<?>) method).get(1));
      }
      for (Object branch : (List<?>) entry.get("branches")) {
        String name = names.get(((List<?>) branch).get(2));
        assertNotNull(entry.get("name") + " has no method " + branch, name);
        if (entry.get("name").equals(Covered.class.getName())) {
          counts.merge(name, 1, Integer::sum);
        }
      }
    }
    assertEquals(Map.of("choose", 10, "never", 6), counts);
  }

  @Test
  public void numbersDoNotDependOnTheOrderOfLoading() throws Exception {
    probes.startRun();
    apk.load(Covered.Kind.class).getMethod("values").invoke(null);
    CoverageNumbers kind = probes.takeNew();
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
    CoverageNumbers fresh = probes.takeNew();
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

  /** With room for all probes at each instruction, this class would take 1.8 GB. */
  @Test
  public void classWithManyProbesFitsIntoTheHeap() {
    int methods = 200;
    int choices = 300;
    ClassWriter writer = new ClassWriter(0);
    writer.visit(Opcodes.V1_6, Opcodes.ACC_PUBLIC, "a/Large", null, "java/lang/Object", null);
    for (int i = 0; i < methods; i++) {
      MethodVisitor visitor = writer.visitMethod(Opcodes.ACC_STATIC, "m" + i, "(I)V", null, null);
      for (int choice = 0; choice < choices; choice++) {
        Label next = new Label();
        visitor.visitVarInsn(Opcodes.ILOAD, 0);
        visitor.visitJumpInsn(Opcodes.IFEQ, next);
        visitor.visitInsn(Opcodes.RETURN);
        visitor.visitLabel(next);
      }
      visitor.visitInsn(Opcodes.RETURN);
      visitor.visitMaxs(1, 1);
    }
    ClassModel model = ClassModel.of(writer.toByteArray());
    assertEquals(methods, model.methods().size());
    assertEquals(2 * methods * choices, model.branches().size());
    BitSet last = new BitSet();
    last.set(model.probeCount() - 1);
    assertEquals(
        choices, model.branches().stream().filter(one -> one.proofs().intersects(last)).count());
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
    return count(model.branches().stream().map(ClassModel.Branch::proofs).toList(), hits)
        + " "
        + count(model.lines().stream().map(ClassModel.Place::proofs).toList(), hits)
        + " "
        + count(model.methods().stream().map(ClassModel.Method::proofs).toList(), hits);
  }

  private static String count(List<Proofs> proofs, BitSet hits) {
    return proofs.stream().filter(of -> of.intersects(hits)).count() + "/" + proofs.size();
  }
}
