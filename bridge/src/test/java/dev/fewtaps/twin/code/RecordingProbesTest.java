package dev.fewtaps.twin.code;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;
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
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
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
        RecordingProbes.insert(model.methods().get(i), RECORDER, next + model.first(i));
      }
      next += model.blockCount();
      ClassNode type = model.type();
      ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
      // The rewriting of calls comes after the probes, as in the twin; it needs no hooks here.
      type.accept(
          translated
              ? new CallRewriter(HookTable.of(List.of()), code, getParent()).visitor(writer)
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
}
