package dev.fewtaps.twin.code;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertNull;

import dev.fewtaps.twin.code.fixture.Shapes;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class ReadyClassesTest {
  private static final String SHAPES = Shapes.class.getName();

  @Rule public final TemporaryFolder folder = new TemporaryFolder();
  private int worked;

  private byte[] work(String name, byte[] bytes) {
    worked++;
    return new byte[] {1, 2, 3};
  }

  private AppCode code() throws IOException {
    Path apk = folder.getRoot().toPath().resolve("a.apk");
    return AppCode.open(new TestApk().dex(Shapes.class).write(apk), folder.getRoot().toPath());
  }

  @Test
  public void workIsDoneOnceForAllProcesses() throws IOException {
    try (AppCode code = code();
        ReadyClasses first = new ReadyClasses(code, this::work, "k")) {
      assertNull(first.recall(SHAPES));
      first.apply(SHAPES, code.bytes(SHAPES));
      assertArrayEquals(new byte[] {1, 2, 3}, first.recall(SHAPES));
    }
    try (AppCode code = code();
        ReadyClasses second = new ReadyClasses(code, this::work, "k");
        ReadyClasses other = new ReadyClasses(code, this::work, "other settings")) {
      assertArrayEquals(new byte[] {1, 2, 3}, second.recall(SHAPES));
      assertNull(other.recall(SHAPES));
    }
    assertEquals(1, worked);
  }

  @Test
  public void fingerprintFollowsCodeAndSettings() {
    String one = Fingerprint.of(List.of("CallRewriter"), "a");
    assertEquals(one, Fingerprint.of(List.of("CallRewriter"), "a"));
    assertNotEquals(one, Fingerprint.of(List.of("CallRewriter"), "b"));
    assertNotEquals(one, Fingerprint.of(List.of("TypeLookup"), "a"));
  }
}
