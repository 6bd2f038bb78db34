package dev.fewtaps.twin.code;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import dev.fewtaps.twin.code.fixture.Shapes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class AppCodeTest {
  private static final String SHAPES = "dev.fewtaps.twin.code.fixture.Shapes";

  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  private Path apk() throws IOException {
    return new TestApk()
        .dex(Shapes.class)
        .dex(Shapes.Inner.class)
        .file("lib/x86/libone.so", new byte[1])
        .file("lib/armeabi-v7a/libone.so", new byte[1])
        .file("META-INF/services/a.B", "a.C".getBytes())
        .write(folder.getRoot().toPath().resolve("a.apk"));
  }

  private Path cache() {
    return folder.getRoot().toPath().resolve("cache");
  }

  @Test
  public void readsAllDexFilesAndNativeLibraries() throws IOException {
    try (AppCode code = AppCode.open(apk(), cache())) {
      assertTrue(code.hasClass(SHAPES));
      assertTrue(code.hasClass(SHAPES + "$Inner"));
      assertFalse(code.hasClass("java.lang.Object"));
      assertEquals("[libone.so]", code.nativeLibraries().get("x86").toString());
      assertEquals(64, code.digest().length());
      assertEquals("a.C", new String(code.resource("META-INF/services/a.B")));
      assertNull(code.resource("absent"));
      assertNull(code.bytes("absent.Type"));
      assertEquals("java/lang/Object", code.head(SHAPES).parent());
    }
  }

  @Test
  public void whatOneProcessTranslatedIsThereInAnother() throws IOException {
    Path apk = apk();
    byte[] bytes;
    Path packed = folder.getRoot().toPath().resolve("packed");
    try (AppCode code = AppCode.open(apk, cache())) {
      bytes = code.bytes(SHAPES);
      code.flush();
      Files.write(packed, TranslatedClasses.pack(code.directory()));
    }
    Path other = folder.getRoot().toPath().resolve("other");
    try (AppCode code = AppCode.open(apk, other, packed);
        Stream<Path> files = Files.list(code.directory())) {
      assertEquals(1, files.filter(file -> file.toString().endsWith(".classes")).count());
      assertArrayEquals(bytes, code.bytes(SHAPES));
    }
  }

  @Test
  public void nothingIsUnpackedOutsideOfItsDirectory() throws IOException {
    Path root = folder.getRoot().toPath();
    Path packed =
        new TestApk()
            .file("../outside", new byte[1])
            .file("sub/inside", new byte[2])
            .write(root.resolve("packed"));
    TranslatedClasses.unpack(packed, root.resolve("target"));
    assertFalse(Files.exists(root.resolve("outside")));
    assertEquals(2, Files.size(root.resolve("target/sub/inside")));
  }

  @Test
  public void namesOfTheSourcesDecideWhatIsTheAppsOwn() throws IOException {
    Path names = folder.getRoot().toPath().resolve("names");
    Files.writeString(names, SHAPES + "\tMain\nno tab\n");
    try (AppCode plain = AppCode.open(apk(), cache());
        AppCode named = AppCode.open(apk(), cache(), null, names)) {
      // Without a manifest, the classes without a package are the app's.
      assertFalse(plain.isAppClass(SHAPES));
      assertTrue(named.isAppClass(SHAPES));
      assertEquals(List.of(SHAPES), named.appClassNames());
      assertEquals("", plain.choice());
      assertFalse(named.choice().isEmpty());
    }
  }

  @Test
  public void codeInTheArchiveOfInstantRunIsCodeOfTheApp() throws IOException {
    Path inner =
        new TestApk().dex(Shapes.Inner.class).write(folder.getRoot().toPath().resolve("inner.zip"));
    Path apk =
        new TestApk()
            .dex(Shapes.class)
            .file("instant-run.zip", Files.readAllBytes(inner))
            .write(folder.getRoot().toPath().resolve("b.apk"));
    try (AppCode code = AppCode.open(apk, cache())) {
      assertTrue(code.hasClass(SHAPES));
      assertTrue(code.bytes(SHAPES + "$Inner").length > 0);
    }
  }

  @Test
  public void secondProcessFindsTheClassesOnDisk() throws IOException {
    byte[] first;
    try (AppCode code = AppCode.open(apk(), cache())) {
      first = code.bytes(SHAPES);
    }
    ClassStore store = ClassStore.open(onlyDirectory());
    assertArrayEquals(first, store.get(SHAPES).bytes());
    assertNull(store.get(SHAPES + "$Inner"));
    try (AppCode code = AppCode.open(apk(), cache())) {
      assertArrayEquals(first, code.bytes(SHAPES));
    }
  }

  @Test
  public void damagedCacheIsNotBelieved() throws IOException {
    byte[] first;
    try (AppCode code = AppCode.open(apk(), cache())) {
      first = code.bytes(SHAPES);
    }
    for (Path file : files(onlyDirectory())) {
      byte[] content = Files.readAllBytes(file);
      Files.write(file, java.util.Arrays.copyOf(content, content.length - 7));
    }
    try (AppCode code = AppCode.open(apk(), cache())) {
      assertArrayEquals(first, code.bytes(SHAPES));
    }
  }

  @Test
  public void manySmallFilesBecomeOne() throws IOException {
    Path directory = cache();
    for (int i = 0; i < 8; i++) {
      ClassStore store = ClassStore.open(directory);
      store.put("c" + i, new ClassStore.Entry(new byte[] {(byte) i}, List.of("note " + i)));
      store.flush();
    }
    ClassStore store = ClassStore.open(directory);
    assertTrue(files(directory).size() < 6);
    for (int i = 0; i < 8; i++) {
      assertArrayEquals(new byte[] {(byte) i}, store.get("c" + i).bytes());
      assertEquals(List.of("note " + i), store.get("c" + i).notes());
    }
  }

  @Test
  public void worksWhereNothingCanBeWritten() throws IOException {
    Path file = folder.newFile("not a directory").toPath();
    try (AppCode code = AppCode.open(apk(), file)) {
      assertTrue(code.bytes(SHAPES).length > 0);
      assertTrue(code.bytes(SHAPES).length > 0);
    }
  }

  @Test
  public void apkWithoutDexIsRefused() throws IOException {
    Path apk = new TestApk().file("a.txt", new byte[3]).write(folder.newFile("b.apk").toPath());
    IOException e = assertThrows(IOException.class, () -> AppCode.open(apk, cache()));
    assertEquals("b.apk has no DEX code", e.getMessage());
  }

  @Test
  public void brokenDexIsRefused() throws IOException {
    byte[] junk = "dex\n035\0 this is no code at all".getBytes();
    Path apk = new TestApk().file("classes.dex", junk).write(folder.newFile("c.apk").toPath());
    IOException e = assertThrows(IOException.class, () -> AppCode.open(apk, cache()));
    assertTrue(e.getMessage(), e.getMessage().startsWith("the DEX code of c.apk cannot be read"));
  }

  private Path onlyDirectory() throws IOException {
    List<Path> all = files(cache());
    assertEquals(1, all.size());
    return all.get(0);
  }

  private static List<Path> files(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.toList();
    }
  }
}
