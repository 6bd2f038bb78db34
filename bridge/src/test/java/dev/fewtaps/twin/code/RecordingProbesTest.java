package dev.fewtaps.twin.code;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertSame;
import static org.junit.Assert.assertTrue;

import dev.fewtaps.twin.code.fixture.Recorded;
import dev.fewtaps.twin.code.fixture.TestRecorder;
import dev.fewtaps.twin.code.fixture.TestRecorder.Word;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.ClassNode;

public class RecordingProbesTest {
  private static final String RECORDER = Type.getInternalName(TestRecorder.class);

  @Rule public final TemporaryFolder folder = new TemporaryFolder();
  private AppCode code;
  private RecordedTypes types;
  private final List<Class<?>> classes = new ArrayList<>(List.of(Recorded.class));

  @Before
  public void open() throws IOException {
    classes.addAll(Arrays.asList(Recorded.class.getDeclaredClasses()));
    classes.sort(Comparator.comparing(Class::getName));
    Path apk = folder.newFile("a.apk").toPath();
    new TestApk().dex(classes.toArray(Class<?>[]::new)).write(apk);
    code = AppCode.openWithLines(apk, folder.newFolder().toPath());
    types = new RecordedTypes(code, code::hasClass);
    TestRecorder.take();
    TestRecorder.missed = 0;
  }

  @After
  public void close() throws IOException {
    code.close();
  }

  /** Loads the fixtures with probes, from their class files or as they are translated from DEX. */
  private final class Probed extends ClassLoader {
    private final boolean translated;
    private final boolean withProbes;
    private final Map<String, Integer> firsts = new TreeMap<>();
    private int next = 1000;

    private final Probed plain;
    private boolean values;

    Probed(boolean translated) {
      this(translated, true);
    }

    private Probed(boolean translated, boolean withProbes) {
      super(RecordingProbesTest.class.getClassLoader());
      this.translated = translated;
      this.withProbes = withProbes;
      this.plain = withProbes ? new Probed(false, false) : null;
    }

    private byte[] original(String name) {
      try {
        return translated
            ? code.bytes(name)
            : TestApk.bytesOf(Class.forName(name, false, getParent()));
      } catch (IOException | ClassNotFoundException e) {
        throw new AssertionError(e);
      }
    }

    CodeModel model(String name) {
      return CodeModel.of(types, original(name), Map.of());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      Class<?> known = findLoadedClass(name);
      if (known != null || !code.hasClass(name)) {
        return known != null ? known : super.loadClass(name, resolve);
      }
      CodeModel model = model(name);
      firsts.put(name, next);
      for (int i = 0; withProbes && i < model.methods().size(); i++) {
        MethodModel method = model.methods().get(i);
        if (values) {
          Set<Integer> all = new HashSet<>();
          IntStream.range(0, method.code().size()).forEach(all::add);
          ValueProbes.insert(method, RECORDER, next + model.first(i), all);
        } else {
          RecordingProbes.insert(method, RECORDER, next + model.first(i));
        }
      }
      next += model.blockCount();
      ClassNode type = model.type();
      ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
      // The rewriting of calls comes after the probes, as in the twin; it needs no hooks here.
      type.accept(
          translated
              ? new CallRewriter(HookTable.of(List.of()), code, getParent())
                  .visitor(new ClassReader(code.bytes(name)), writer, Set.of())
              : writer);
      byte[] bytes = writer.toByteArray();
      return defineClass(name, bytes, 0, bytes.length);
    }

    WordReader reader() {
      WordReader reader = new WordReader();
      firsts.forEach((name, first) -> reader.add(model(name), first));
      return reader;
    }

    WordReader run(String method) throws Exception {
      Class<?> type = Class.forName(Recorded.class.getName(), true, this);
      TestRecorder.take();
      Class<?> same = Class.forName(Recorded.class.getName(), true, plain);
      Object expected = result(same.getMethod(method));
      Object recorded = result(type.getMethod(method));
      List<Word> words = TestRecorder.take();
      assertEquals(method, expected, recorded);
      WordReader reader = reader();
      try {
        reader.read(words);
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError(method + ", translated " + translated + ": " + e, e);
      }
      assertEquals(method, reader.entered.get(0));
      return reader;
    }
  }

  private static Object result(Method method) throws IllegalAccessException {
    try {
      return method.invoke(null);
    } catch (InvocationTargetException e) {
      return e.getCause().toString();
    }
  }

  @Test
  public void everyWordFollowsFromTheModelAndResultsStayTheSame() throws Exception {
    int ran = 0;
    for (boolean translated : new boolean[] {false, true}) {
      Probed probed = new Probed(translated);
      for (Method method : Recorded.class.getMethods()) {
        if (Modifier.isStatic(method.getModifiers())) {
          probed.run(method.getName());
          ran++;
        }
      }
    }
    assertTrue("only " + ran, ran > 40);
    assertEquals(0, TestRecorder.missed);
  }

  @Test
  public void noMethodOfTheFixturesIsOpaque() {
    for (boolean translated : new boolean[] {false, true}) {
      Probed probed = new Probed(translated);
      for (String name : code.classNames()) {
        for (MethodModel method : probed.model(name).methods()) {
          assertNull(name + method.key(), method.opaque());
        }
      }
    }
  }

  @Test
  public void theInstructionThatThrewIsKnown() throws Exception {
    for (boolean translated : new boolean[] {false, true}) {
      Probed probed = new Probed(translated);
      assertEquals(
          List.of(
              "risk MATH leaves",
              "caught CALL",
              "risk GETFIELD leaves",
              "caught CALL",
              "risk ARRAYLOAD leaves",
              "caught CALL"),
          probed.run("caught").throwers);
      assertEquals(
          List.of("CAST", "CAST", "CAST", "CAST", "ARRAYSTORE", "NEWARRAY"),
          probed.run("casts").throwers.stream().map(text -> text.split(" ")[1]).toList());
      assertEquals(
          List.of("finallyReturns MATH", "finallyReturns THROW leaves", "leaves CALL"),
          probed.run("leaves").throwers);
    }
  }

  private RecordedClasses recorded(AppCode opened) {
    AppTransform plain =
        new AppTransform(
            new CallRewriter(HookTable.of(List.of()), opened, getClass().getClassLoader()), null);
    RecordedTypes own = new RecordedTypes(opened, opened::hasClass);
    RecordedClasses.Probes probes =
        (model, first) -> RecordingProbes.insert(model, RECORDER, first);
    return new RecordedClasses(opened, own, probes, plain, "test");
  }

  @Test
  public void numbersOfBlocksAreGivenOnceAndNotKeptOnDisk() throws Exception {
    String one = Recorded.class.getName();
    String two = one + "$Square";
    try (RecordedClasses first = recorded(code)) {
      byte[] bytes = first.apply(one, code.bytes(one));
      assertSame(bytes, first.recall(one));
      first.apply(two, code.bytes(two));
      assertEquals(1, first.numbered().get(one).first());
      assertEquals(1 + first.numbered().get(one).count(), first.numbered().get(two).first());
    }
    try (RecordedClasses second = recorded(code)) {
      assertNotNull("it comes from disk", second.recall(two));
      assertEquals(1, second.numbered().get(two).first());
      assertEquals(second.model(two).blockCount(), second.numbered().get(two).count());
    }
  }

  @Test
  public void constantsOfTheClassAreNotTakenForPlaceholders() throws IOException {
    ClassWriter writer = new ClassWriter(0);
    writer.visit(50, 1, "a/B", null, "java/lang/Object", null);
    writer.newConst(0x6B000000);
    writer.newConst(0x6B010005);
    byte[] bytes = writer.toByteArray();
    int chosen = Placeholders.choose(bytes, 0x6B000000);
    assertEquals(0x6B020000, chosen);
    byte[] same = bytes.clone();
    Placeholders.replace(same, chosen, 100, 7);
    assertArrayEquals(bytes, same);
    Placeholders.replace(same, 0x6B010000, 100, 7);
    assertEquals(0x6B010000, Placeholders.choose(same, 0x6B010000));
  }

  private MethodModel method(boolean translated, String name) {
    CodeModel model = new Probed(translated).model(Recorded.class.getName());
    for (MethodModel method : model.methods()) {
      if (method.method.name.equals(name)) {
        return method;
      }
    }
    throw new AssertionError("no method " + name);
  }

  private static int indexOf(MethodModel method, MethodModel.Op op) {
    for (int i = 0; i < method.code().size(); i++) {
      if (method.code().get(i).op() == op) {
        return i;
      }
    }
    throw new AssertionError("no " + op);
  }

  @Test
  public void producersAreParametersExceptionsAndBothWaysOfAChoice() {
    MethodModel dense = method(false, "dense");
    int[][][] producers = Producers.of(dense);
    assertArrayEquals(new int[] {-1}, producers[indexOf(dense, MethodModel.Op.LOAD)][0]);
    MethodModel ternaries = method(false, "ternaries");
    int store = indexOf(ternaries, MethodModel.Op.STORE);
    int[] made = Producers.of(ternaries)[store][0];
    assertEquals(2, made.length);
    for (int producer : made) {
      assertEquals(MethodModel.Op.CONST, ternaries.code().get(producer).op());
    }
    MethodModel nested = method(false, "nested");
    boolean caught = false;
    for (int[][] operands : Producers.of(nested)) {
      for (int[] operand : operands) {
        caught |= operand.length == 1 && operand[0] <= MethodModel.FIRST_CAUGHT;
      }
    }
    assertTrue(caught);
  }

  @Test
  public void valuesAreToldAndChangeNothing() throws Exception {
    for (boolean translated : new boolean[] {false, true}) {
      Probed probed = new Probed(translated);
      probed.values = true;
      Class<?> type = Class.forName(Recorded.class.getName(), true, probed);
      Class<?> same = Class.forName(Recorded.class.getName(), true, probed.plain);
      for (String name : List.of("sharing", "longs", "casts", "ternaries", "caught", "wide")) {
        TestRecorder.take();
        Object expected = result(same.getMethod(name));
        assertEquals(name, expected, result(type.getMethod(name)));
        List<Word> words = TestRecorder.take();
        String last = (String) words.get(words.size() - 1).content();
        assertEquals(name, String.valueOf(expected), last.substring(last.indexOf('=') + 1));
      }
    }
  }

  @Test
  public void translatedCodeHasTheLinesAndNamesOfTheSource() {
    MethodModel loop = method(true, "loop");
    List<String> names = new ArrayList<>();
    loop.method.localVariables.forEach(variable -> names.add(variable.name));
    assertTrue(names.toString(), names.containsAll(List.of("sum", "i")));
    for (String name : List.of("loop", "caught", "longs", "sharing", "switches")) {
      List<Integer> missing = lines(method(false, name));
      missing.removeAll(lines(method(true, name)));
      // D8 has no code for a jump alone.
      assertTrue(name + " " + missing, missing.size() <= 2);
    }
  }

  private static List<Integer> lines(MethodModel method) {
    return new ArrayList<>(
        method.code().stream().map(MethodModel.Instruction::line).distinct().toList());
  }
}
