package dev.fewtaps.twin.code;

import dev.fewtaps.twin.code.fixture.Covered;
import dev.fewtaps.twin.code.fixture.Shapes;
import dev.fewtaps.twin.code.fixture.Sharing;
import dev.fewtaps.twin.code.fixture.TestHooks;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** An APK of things to cover, whose classes can be loaded with probes in them. */
final class MeasuredApk implements Closeable {
  final AppCode code;
  final CoverageProbes probes;
  private final Transform transform;

  MeasuredApk(Path folder) throws Exception {
    Path apk = write(folder);
    code = AppCode.open(apk, Files.createTempDirectory(folder, "cache"));
    probes = CoverageProbes.ofAll(code);
    HookTable hooks = HookTable.of(List.of(TestHooks.class));
    CallRewriter rewriter = new CallRewriter(hooks, code, getClass().getClassLoader());
    transform = Transform.remembering(new AppTransform(rewriter, probes));
  }

  private static Path write(Path folder) throws Exception {
    return new TestApk()
        .dex(
            Covered.class,
            Covered.Kind.class,
            Covered.Named.class,
            Covered.Impl.class,
            Shapes.class,
            Sharing.class,
            Class.forName(Sharing.class.getName() + "$1"),
            Class.forName(Sharing.class.getName() + "$2"))
        .write(folder.resolve("a.apk"));
  }

  /** Loads a class anew, as the first of its run. */
  Class<?> load(Class<?> original) throws Exception {
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
    return Class.forName(original.getName(), true, loader);
  }

  /** Calls {@link Covered#choose} of a fresh object. */
  static void choose(Class<?> type, int n) throws Exception {
    TestHooks.ticks = 0;
    type.getMethod("choose", int.class).invoke(type.getConstructor().newInstance(), n);
  }

  @Override
  public void close() throws IOException {
    code.close();
  }
}
