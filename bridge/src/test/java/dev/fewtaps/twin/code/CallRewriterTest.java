package dev.fewtaps.twin.code;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import dev.fewtaps.twin.code.fixture.Rewritten;
import dev.fewtaps.twin.code.fixture.TestHooks;
import dev.fewtaps.twin.world.Replaces;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.util.Date;
import java.util.List;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class CallRewriterTest {
  @Rule public final TemporaryFolder folder = new TemporaryFolder();
  private AppCode code;
  private Class<?> type;

  @Before
  public void open() throws Exception {
    Path apk =
        new TestApk()
            .dex(
                Rewritten.class,
                Rewritten.Custom.class,
                Rewritten.Plain.class,
                Rewritten.Bag.class,
                Rewritten.Chain.class,
                Rewritten.Hashed.class,
                Rewritten.Suit.class,
                Class.forName(Rewritten.class.getName() + "$1"))
            .write(folder.newFile("a.apk").toPath());
    code = AppCode.open(apk, folder.newFolder().toPath());
    HookTable hooks = HookTable.of(List.of(TestHooks.class, TestHooks.MyList.class));
    ClassLoader parent = getClass().getClassLoader();
    CallRewriter rewriter = new CallRewriter(hooks, code, parent);
    Transform transform = (name, bytes) -> rewriter.rewrite(bytes);
    // The tests' own package would be the twin's, which an app never sees in its APK.
    ClassLoader loader =
        new ClassLoader(parent) {
          @Override
          protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            Class<?> known = findLoadedClass(name);
            if (known != null || !code.hasClass(name)) {
              return known != null ? known : super.loadClass(name, resolve);
            }
            byte[] bytes = transform.apply(name, code.bytes(name));
            return defineClass(name, bytes, 0, bytes.length);
          }
        };
    type = Class.forName(Rewritten.class.getName(), true, loader);
    TestHooks.CALLS.clear();
    TestHooks.ticks = 0;
  }

  @After
  public void close() throws IOException {
    code.close();
  }

  private Object call(String name) throws Exception {
    return type.getMethod(name).invoke(null);
  }

  @Test
  public void replacesStaticCalls() throws Exception {
    assertEquals(77L, call("time"));
  }

  @Test
  public void replacesCallsThroughSubclassesButNotOverrides() throws Exception {
    assertEquals("1", call("start"));
    assertEquals(List.of("start Custom", "start Plain"), TestHooks.CALLS);
  }

  @Test
  public void callsHooksWithNewObjectsAndReplacesTypes() throws Exception {
    Object[] made = (Object[]) call("made");
    assertEquals(99, ((Date) made[0]).getTime());
    assertEquals(6, ((Date) made[1]).getTime());
    assertEquals(TestHooks.MyList.class, made[3].getClass());
    assertTrue(made[4] instanceof TestHooks.MyList);
  }

  @Test
  public void leadsResultsToHooksWithDispatchAndWithout() throws Exception {
    assertEquals("abc", call("walks"));
    assertEquals(List.of("walk 2", "walk 1", "walk 1"), TestHooks.CALLS);
  }

  @Test
  public void findsNewObjectsInsideTryBlocks() throws Exception {
    assertEquals(6, ((Date) call("guarded")).getTime());
    assertEquals(List.of("date"), TestHooks.CALLS);
  }

  @Test
  public void appliesHooksToFirstArguments() throws Exception {
    assertEquals("/jail/a/b /jail/c", call("files"));
  }

  @Test
  public void endlessLoopsCanBeStopped() throws Exception {
    InvocationTargetException e =
        assertThrows(InvocationTargetException.class, () -> call("endless"));
    assertEquals("enough", e.getCause().getMessage());
  }

  @Test
  public void hashCodesAreOurs() throws Exception {
    assertEquals(353, call("hashes"));
    assertEquals(4, call("superHash"));
  }

  @Test
  public void constantsOfEnumsAreTold() throws Exception {
    assertEquals("HEARTS SPADES", call("constants"));
    assertEquals(List.of("enum HEARTS", "enum SPADES"), TestHooks.CALLS);
  }

  @Test
  public void nativeMethodsGetABody() throws Exception {
    assertEquals(0L, type.getMethod("wide", int.class, String.class).invoke(null, 1, "x"));
    assertNull(call("text"));
    type.getMethod("nothing").invoke(type.getConstructor().newInstance());
    String name = "native " + Rewritten.class.getName();
    assertEquals(List.of(name + ".wide", name + ".text", name + ".nothing"), TestHooks.CALLS);
    assertTrue(!Modifier.isNative(type.getMethod("text").getModifiers()));
  }

  @Test
  public void hookThatAppsCannotCallIsRefused() {
    assertThrows(IllegalStateException.class, () -> HookTable.of(List.of(Wrong.class)));
  }

  /** Its hook is not public. */
  public static final class Wrong {
    @Replaces(owner = "java/lang/System", name = "nanoTime", desc = "()J")
    static long nanoTime() {
      return 0;
    }
  }

  @Test
  public void standardHooksFit() {
    assertTrue(HookTable.standard().describe().contains("java/lang/System"));
  }
}
