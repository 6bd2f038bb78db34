package dev.fewtaps.twin.code;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertNotSame;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertSame;
import static org.junit.Assert.assertThrows;

import dev.fewtaps.twin.code.fixture.Shapes;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.concurrent.Callable;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Opcodes;

public class AppClassLoaderTest {
  @Rule public final TemporaryFolder folder = new TemporaryFolder();
  private AppCode code;

  @Before
  public void open() throws Exception {
    Path apk =
        new TestApk()
            .dex(
                named("a/b/Main"),
                named("javax/inject/Inject"),
                named("org/apache/http/params/HttpParams"),
                named("org/apache/http/entity/mime/Multipart"),
                named("android/support/v4/app/Thing"),
                named("java/lang/String"),
                named("org/junit/Test"),
                TestApk.bytesOf(Class.forName("dev.fewtaps.twin.code.fixture.Task")),
                TestApk.bytesOf(Shapes.Greeter.class))
            .file(
                "META-INF/services/java.util.concurrent.Callable",
                "dev.fewtaps.twin.code.fixture.Task".getBytes())
            .file("a/b/some text.properties", "x=1".getBytes())
            .write(folder.newFile("a.apk").toPath());
    code = AppCode.open(apk, folder.newFolder().toPath());
  }

  @After
  public void close() throws IOException {
    code.close();
  }

  private static byte[] named(String name) {
    ClassWriter writer = new ClassWriter(0);
    writer.visit(Opcodes.V1_8, Opcodes.ACC_PUBLIC, name, null, "java/lang/Object", null);
    writer.visitEnd();
    return writer.toByteArray();
  }

  /** A parent such as the sandbox: it does not show what the tests have loaded themselves. */
  private AppClassLoader loader(Path... jars) {
    return new AppClassLoader(code, getClass().getClassLoader(), List.of(jars), Transform.NONE);
  }

  @Test
  public void appComesFirstExceptForWhatThePhoneHas() throws Exception {
    AppClassLoader loader = loader();
    assertSame(loader, loader.loadClass("a.b.Main").getClassLoader());
    assertSame(loader, loader.loadClass("javax.inject.Inject").getClassLoader());
    assertSame(loader, loader.loadClass("android.support.v4.app.Thing").getClassLoader());
    assertSame(loader, loader.loadClass("org.junit.Test").getClassLoader());
    assertSame(String.class, loader.loadClass("java.lang.String"));
    assertSame(javax.crypto.Cipher.class, loader.loadClass("javax.crypto.Cipher"));
  }

  /** The phone's own classes of the package refer to each other, and would not fit a copy. */
  @Test
  public void aPartOfAnOldPackageIsThePhonesWhereThePhoneHasIt() throws Exception {
    AppClassLoader loader = loader();
    assertSame(loader, loader.loadClass("org.apache.http.entity.mime.Multipart").getClassLoader());
    Class<?> params = loader.loadClass("org.apache.http.params.HttpParams");
    assertNotSame(loader, params.getClassLoader());
    assertSame(
        params,
        loader
            .loadClass("org.apache.http.params.HttpConnectionParams")
            .getMethod("getSoTimeout", params)
            .getParameterTypes()[0]);
  }

  @Test
  public void librariesOfTheTwinStayInvisible() {
    AppClassLoader loader = loader();
    assertThrows(ClassNotFoundException.class, () -> loader.loadClass("org.hamcrest.Matcher"));
    assertThrows(ClassNotFoundException.class, () -> loader.loadClass("org.objectweb.asm.Type"));
  }

  @Test
  public void eachLoaderIsANewProcess() throws Exception {
    Class<?> first = loader().loadClass("a.b.Main");
    Class<?> second = loader().loadClass("a.b.Main");
    assertNotSame(first, second);
    assertEquals("a.b", first.getPackage().getName());
  }

  @Test
  public void servicesAndFilesComeFromTheApk() throws Exception {
    AppClassLoader loader = loader();
    List<String> found = new ArrayList<>();
    for (Callable<?> task : ServiceLoader.load(Callable.class, loader)) {
      found.add(String.valueOf(task.call()));
    }
    assertEquals(List.of("done"), found);
    try (var in = loader.getResourceAsStream("a/b/some text.properties")) {
      assertEquals("x=1", new String(in.readAllBytes()));
    }
    assertNotNull(loader.loadClass("a.b.Main").getResource("some text.properties"));
    assertNull(loader.getResource("META-INF/absent"));
  }

  @Test
  public void fallbackJarsComeLast() throws Exception {
    Path jar =
        new TestApk()
            .file("old/Http.class", named("old/Http"))
            .file("a/b/Main.class", new byte[4])
            .write(folder.newFile("old.jar").toPath());
    AppClassLoader loader = loader(jar);
    assertSame(loader, loader.loadClass("old.Http").getClassLoader());
    assertSame(loader, loader.loadClass("a.b.Main").getClassLoader());
  }
}
