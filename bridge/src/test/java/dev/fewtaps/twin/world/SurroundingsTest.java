package dev.fewtaps.twin.world;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.File;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.HttpURLConnection;
import java.net.InetSocketAddress;
import java.net.URL;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public final class SurroundingsTest {
  @Rule public final TemporaryFolder host = new TemporaryFolder();

  private File data;
  private File shared;
  private Settings settings;
  private World world;

  @Before
  public void begin() throws IOException {
    data = host.newFolder("data");
    shared = host.newFolder("shared");
    File cache = new File(data, "cache");
    assertTrue(cache.mkdir());
    settings =
        Settings.defaults()
            .withPackage("com.a")
            .withFolders(data.getPath(), shared.getPath(), cache.getPath());
    world = World.begin(1, settings);
    world.mainBegins();
  }

  @After
  public void end() {
    World.end();
  }

  @Test
  public void ownFilesPass() throws IOException {
    String path = new File(data, "x").getPath();
    assertEquals(path, FileHooks.writePath(path));
    assertThrows(FileNotFoundException.class, () -> FileHooks.readPath(path));
    Files.writeString(new File(path).toPath(), "hello");
    assertEquals(path, FileHooks.readPath(path));
    assertEquals(path, FileHooks.readPath("/data/data/com.a/x"));
    assertEquals(5, FileHooks.length(new File(path)));
    assertTrue(world.notes().isEmpty());
  }

  @Test
  public void sharedStorageIsPrivateToTheRun() throws IOException {
    assertTrue(FileHooks.mkdirs(new File("/sdcard/a/b")));
    assertTrue(new File(shared, "a/b").isDirectory());
    assertTrue(FileHooks.exists(new File("/storage/emulated/0/a")));
    assertTrue(FileHooks.createNewFile(new File("/sdcard/a/z")));
    assertTrue(FileHooks.createNewFile(new File("/sdcard/a/c")));
    assertArrayEquals(new String[] {"b", "c", "z"}, FileHooks.list(new File("/mnt/sdcard/a")));
    assertFalse(new File("/sdcard/a").exists());
  }

  @Test
  public void theHostIsOutOfReachAndTheTryIsNoted() throws IOException {
    File secret = host.newFile("secret");
    FileNotFoundException e =
        assertThrows(FileNotFoundException.class, () -> FileHooks.readPath(secret.getPath()));
    assertEquals(secret.getPath() + ": open failed: EACCES (Permission denied)", e.getMessage());
    assertThrows(FileNotFoundException.class, () -> FileHooks.writePath(data + "/../secret"));
    assertFalse(FileHooks.exists(secret));
    assertFalse(FileHooks.delete(secret));
    assertNull(FileHooks.list(new File("/root")));
    assertTrue(secret.exists());
    assertEquals(
        List.of(
            "tried to read " + secret,
            "tried to write " + secret,
            "tried to delete " + secret,
            "tried to list /root"),
        world.notes());
  }

  @Test
  public void withoutFoldersTheHostIsOutOfReachToo() throws IOException {
    File secret = host.newFile("secret");
    world = World.begin(1, Settings.defaults());
    assertThrows(FileNotFoundException.class, () -> FileHooks.readPath(secret.getPath()));
    assertThrows(FileNotFoundException.class, () -> FileHooks.writePath("/etc/canary"));
    assertThrows(FileNotFoundException.class, () -> FileHooks.writePath("canary"));
    assertThrows(
        java.nio.file.NoSuchFileException.class,
        () -> FilesHooks.list(FileHooks.path("", new String[0])));
    assertThrows(
        IOException.class,
        () -> FilesHooks.write(secret.toPath(), new byte[] {1}, new java.nio.file.OpenOption[0]));
    assertEquals(0, secret.length());
    assertTrue(FileHooks.createNewFile(new File("/sdcard/mine")));
  }

  @Test
  public void thePhonesOwnFilesAreAbsentOrSmall() throws IOException {
    assertFalse(FileHooks.exists(new File("/system/xbin/su")));
    assertTrue(
        Files.readString(new File(FileHooks.readPath("/proc/cpuinfo")).toPath()).contains("ARM"));
    assertTrue(FileHooks.isDirectory(new File("/")));
    assertNull(FileHooks.listFiles(new File("/")));
    assertEquals("/x", FileHooks.getAbsolutePath(new File("x")));
    assertTrue(world.notes().isEmpty());
  }

  @Test
  public void filesChangeInVirtualTime() throws IOException {
    File file = new File(data, "x");
    assertEquals(0, FileHooks.lastModified(file));
    FileHooks.createNewFile(file);
    long made = FileHooks.lastModified(file);
    world.advanceTo(5000);
    assertEquals(made, FileHooks.lastModified(file));
    FileHooks.writePath(file.getPath());
    assertEquals(World.EPOCH_MILLIS + 5000, FileHooks.lastModified(file));
  }

  @Test
  public void temporaryFilesHaveTheSameNameInEachRun() throws IOException {
    String first = FileHooks.createTempFile("abc", null).getName();
    world =
        World.begin(1, settings.withFolders(data.getPath(), null, host.newFolder("c").getPath()));
    assertEquals(first, FileHooks.createTempFile("abc", null).getName());
  }

  @Test
  public void offlineNothingIsResolved() throws IOException {
    UnknownHostException e =
        assertThrows(UnknownHostException.class, () -> NetHooks.getByName("example.org"));
    assertEquals(
        "Unable to resolve host \"example.org\": No address associated with hostname",
        e.getMessage());
    assertThrows(
        ConnectException.class,
        () -> new WorldSocket().connect(new InetSocketAddress("10.0.0.1", 80), 1000));
    HttpURLConnection connection =
        (HttpURLConnection) NetHooks.openConnection(new URL("https://example.org/a"));
    assertThrows(UnknownHostException.class, connection::getResponseCode);
    assertEquals(
        List.of(
            "tried to look up example.org",
            "tried to open 10.0.0.1:80",
            "tried to open https://example.org"),
        world.notes());
    assertTrue(world.uptimeMillis() > 100);
  }

  @Test
  public void theFakedNetworkAnswersBySeedAndAddress() throws IOException {
    Set<String> seen = new HashSet<>();
    for (int i = 0; i < 2; i++) {
      world = World.begin(2, settings.withNetwork("faked"));
      StringBuilder codes = new StringBuilder();
      for (int j = 0; j < 60; j++) {
        world.mainBegins();
        HttpURLConnection connection =
            (HttpURLConnection) NetHooks.openConnection(new URL("http://example.org/" + j));
        try {
          codes.append(connection.getResponseCode()).append(' ');
        } catch (IOException e) {
          codes.append("timeout ");
        }
      }
      seen.add(codes.toString());
    }
    assertEquals(1, seen.size());
    String codes = seen.iterator().next();
    assertTrue(codes, codes.contains("200") && codes.contains("404"));
  }

  @Test
  public void theProcessLooksLikeAPhonesOwn() {
    assertEquals("Dalvik", SystemHooks.getProperty("java.vm.name"));
    assertEquals("/sdcard", SystemHooks.getenv("EXTERNAL_STORAGE"));
    assertNull(SystemHooks.getenv("HOME"));
    SystemHooks.setProperty("mine", "1");
    assertEquals("1", SystemHooks.getProperty("mine"));
    assertNull(System.getProperty("mine"));
    world = World.begin(1, settings);
    assertNull(SystemHooks.getProperty("mine"));
  }

  @Test
  public void processesAreRefused() {
    IOException e =
        assertThrows(IOException.class, () -> SystemHooks.exec(Runtime.getRuntime(), "su -c ls"));
    assertEquals("Cannot run program \"su\": error=13, Permission denied", e.getMessage());
    assertEquals(List.of("tried to start a process: su -c ls"), world.notes());
  }

  @Test
  public void nativeCodeIsNoted() {
    Hooks.loadLibrary("foo");
    Hooks.nativeCalled("a.B.c");
    assertEquals("libfoo.so", world.touchedNative());
    assertEquals(
        List.of("native library libfoo.so cannot run", "native method a.B.c cannot run"),
        world.notes());
  }
}
