package dev.fewtaps.twin.code;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import dev.fewtaps.twin.code.Suspicion.Rule;
import dev.fewtaps.twin.code.fixture.TestHooks;
import java.io.IOException;
import java.util.List;
import org.junit.Test;

public class SuspicionsTest {
  private final Suspicions suspicions =
      new Suspicions(new StackCleaner(HookTable.of(List.of(TestHooks.class))));

  private static StackTraceElement frame(String type, String method, int line) {
    return new StackTraceElement(type, method, null, line);
  }

  private String suspicion(Throwable error) {
    Suspicion found = suspicions.of(error);
    return found == null ? null : found.reason();
  }

  private Rule rule(Throwable error) {
    return suspicions.of(error).rule();
  }

  @Test
  public void limitsOfTheTwinAreSuspected() {
    assertTrue(suspicion(new RuntimeException(new UnsatisfiedLinkError("x"))).contains("native"));
    assertTrue(suspicion(new NoClassDefFoundError("java/foo/Bar")).contains("java/foo/Bar"));
    // The twin's Android is a real one: what it lacks, phones of that version lack too.
    assertNull(suspicion(new NoClassDefFoundError("android/foo/Bar")));
    assertNull(suspicion(new NoClassDefFoundError("com/app/Missing")));
    assertTrue(
        suspicion(new NoSuchMethodError("'void java.util.List.foo(int)'"))
            .contains("java.util.List.foo"));
    assertTrue(
        suspicion(new NotFoundException("Font resource ID #0x7f080000 could not be retrieved."))
            .contains("fonts"));
    assertNull(suspicion(new NotFoundException("Resource ID #0x7f080000")));
    assertNull(suspicion(new NullPointerException()));
    Exception selected = new IllegalArgumentException("Center point is not inside");
    selected.setStackTrace(
        new StackTraceElement[] {frame("android.widget.SmartSelectSprite", "startAnimation", 1)});
    assertTrue(suspicion(selected).contains("text"));
    Exception unsupported = new UnsupportedOperationException();
    unsupported.setStackTrace(
        new StackTraceElement[] {
          frame("org.robolectric.shadows.ShadowCamera", "open", 1),
          frame("android.hardware.Camera", "open", -1),
          frame("a.Main", "m", 1)
        });
    assertEquals(
        "the twin does not fully imitate android.hardware.Camera.open", suspicion(unsupported));
  }

  @Test
  public void theRuleIsTold() {
    assertEquals(Rule.LINKAGE, rule(new IncompatibleClassChangeError("a.B")));
    assertEquals(Rule.LINKAGE, rule(new NoSuchMethodError("'void a.B.<init>(Throwable)'")));
    assertEquals(Rule.LINKAGE, rule(new LinkageError("loader constraint violation: x")));
    assertEquals(Rule.MISSING_PLATFORM, rule(new NoSuchFieldError("java.util.Locale X")));
    assertEquals(Rule.HOST_LIMIT, rule(new IOException("User limit of inotify instances reached")));
    assertEquals(Rule.HOST_LIMIT, rule(new OutOfMemoryError("unable to create native thread: x")));
    assertEquals(
        Rule.TRANSLATION, rule(new RuntimeException("m could not be translated from DEX")));
    assertNull(suspicion(new NoSuchMethodError("'void android.view.View.newer(int)'")));
    assertNull(suspicion(new ExceptionInInitializerError("a.B")));
  }

  @Test
  public void framesOfTheTwinAreLookedForBehindThoseOfJavasLibrary() {
    Exception missing = new java.util.NoSuchElementException();
    missing.setStackTrace(
        new StackTraceElement[] {
          frame("java.util.ArrayDeque", "removeFirst", 1),
          frame("org.robolectric.shadows.ShadowCamera", "open", 1),
          frame("android.hardware.Camera", "open", -1)
        });
    assertEquals(Rule.NOT_IMITATED, rule(missing));
    Exception meant = new IllegalStateException();
    meant.setStackTrace(
        new StackTraceElement[] {frame("org.robolectric.shadows.ShadowMediaPlayer", "start", 1)});
    assertNull(suspicion(meant));
  }

  @Test
  public void fullMemoryIsOursOnlyWhileCodeIsPrepared() {
    OutOfMemoryError full = new OutOfMemoryError("Java heap space");
    StackTraceElement app =
        new StackTraceElement("app", null, null, "a.Main", "onClick", "Main.java", 7);
    StackTraceElement ours = frame("dev.fewtaps.twin.code.AppCode", "bytes", 8);
    StackTraceElement java = frame("java.util.Arrays", "copyOf", 9);
    full.setStackTrace(new StackTraceElement[] {java, ours, app});
    assertEquals("the twin ran out of memory while it prepared the app's code", suspicion(full));
    full.setStackTrace(new StackTraceElement[] {java, app, ours});
    assertNull(suspicion(full));
  }

  @Test
  public void fullMemoryFarFromTheAppsCodeIsSuspect() {
    OutOfMemoryError full = new OutOfMemoryError("Java heap space");
    StackTraceElement app =
        new StackTraceElement("app", null, null, "a.Main", "onDraw", "Main.java", 7);
    StackTraceElement view = frame("android.view.View", "draw", 8);
    full.setStackTrace(new StackTraceElement[] {view, view, app});
    assertNull(suspicion(full));
    StackTraceElement[] far = new StackTraceElement[30];
    java.util.Arrays.fill(far, view);
    far[29] = app;
    full.setStackTrace(far);
    assertEquals(Rule.HOST_LIMIT, rule(full));
    far[0] = frame("dev.fewtaps.twin.inside.Heap", "makeRoom", 1);
    full.setStackTrace(far);
    assertNull(suspicion(full));
    full.setStackTrace(new StackTraceElement[0]);
    assertNull(suspicion(full));
  }

  /** Named as Android's. */
  private static final class NotFoundException extends RuntimeException {
    NotFoundException(String message) {
      super(message);
    }
  }
}
