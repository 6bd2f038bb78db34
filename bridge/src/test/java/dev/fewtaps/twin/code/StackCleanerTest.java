package dev.fewtaps.twin.code;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import dev.fewtaps.twin.code.fixture.TestHooks;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.Test;

public class StackCleanerTest {
  private final StackCleaner cleaner = new StackCleaner(HookTable.of(List.of(TestHooks.class)));

  private static StackTraceElement frame(String type, String method, int line) {
    String simple = type.substring(type.lastIndexOf('.') + 1);
    return new StackTraceElement(type, method, simple + ".java", line);
  }

  private String clean(StackTraceElement... stack) {
    StringBuilder text = new StringBuilder();
    for (StackTraceElement frame : cleaner.clean(stack)) {
      String type = frame.getClassName();
      text.append(type.substring(type.lastIndexOf('.') + 1))
          .append('.')
          .append(frame.getMethodName());
      text.append(':').append(frame.getLineNumber()).append(' ');
    }
    return text.toString().trim();
  }

  @Test
  public void frameworkMethodsAppearOnceUnderTheirOwnNames() {
    assertEquals(
        "Main.onClick:7 View.performClick:6597 View$PerformClick.run:25885 View.<init>:9",
        clean(
            frame("a.Main", "onClick", 7),
            frame("android.view.View", "$$robo$$android_view_View$performClick", 6597),
            frame("android.view.View", "performClick", -1),
            frame(
                "android.view.View$PerformClick",
                "$$robo$$android_view_View_PerformClick$run",
                25885),
            frame("java.lang.invoke.LambdaForm$MH/0x1", "invoke", -1),
            frame("android.view.View$PerformClick", "run", -1),
            frame("android.view.View", "$$robo$$android_view_View$__constructor__", 9),
            frame("android.view.View", "__constructor__", -1),
            frame("android.view.View", "<init>", 12)));
  }

  @Test
  public void linesOfTheJavaLibraryAreNotShown() {
    StackTraceElement next =
        new StackTraceElement(
            null, "java.base", "17", "java.util.HashMap$HashIterator", "nextNode", null, 1597);
    List<StackTraceElement> shown =
        cleaner.clean(new StackTraceElement[] {next, frame("a.Main", "onClick", 7)});
    assertEquals("HashMap.java", shown.get(0).getFileName());
    assertTrue(shown.get(0).getLineNumber() < 0);
    assertEquals(7, shown.get(1).getLineNumber());
  }

  @Test
  public void recursionIsKept() {
    assertEquals(
        "View.draw:1 View.draw:2 Main.draw:-1 Main.draw:-1",
        clean(
            frame("android.view.View", "$$robo$$android_view_View$draw", 1),
            frame("android.view.View", "draw", -1),
            frame("android.view.View", "$$robo$$android_view_View$draw", 2),
            frame("android.view.View", "draw", -1),
            frame("a.Main", "draw", -1),
            frame("a.Main", "draw", -1)));
  }

  @Test
  public void ownFramesAndCoverageAreInvisible() {
    assertEquals(
        "Main.run:3 Handler.dispatch:-1",
        clean(
            frame("a.Main", "$jacocoInit", 1),
            frame("a.Main", "run", 3),
            frame("org.robolectric.shadows.ShadowLooper", "run", 5),
            frame("android.os.Handler", "dispatch", -1),
            frame("dev.fewtaps.twin.inside.AppHost", "perform", 9),
            frame("jdk.internal.reflect.DirectMethodHandleAccessor", "invoke", 9),
            frame("java.lang.reflect.Method", "invoke", 9),
            frame("dev.fewtaps.twin.BridgeMain", "main", 9)));
  }

  @Test
  public void reflectionOfTheAppIsOneNativeFrame() {
    assertEquals(
        "Main.click:3 Method.invoke:-2 View.onClick:4",
        clean(
            frame("a.Main", "click", 3),
            frame("jdk.internal.reflect.GeneratedMethodAccessor1", "invoke", -1),
            frame("java.lang.reflect.Method", "invoke", 568),
            frame("android.view.View", "onClick", 4)));
  }

  @Test
  public void hookLooksLikeWhatItReplaces() {
    assertEquals(
        "Thread.start:-1 Main.go:3",
        clean(
            frame("dev.fewtaps.twin.world.World", "deep", 1),
            frame(TestHooks.class.getName(), "start", 2),
            frame("a.Main", "go", 3)));
  }

  @Test
  public void chainIsOutermostFirstAndEnds() {
    Exception inner = new IllegalStateException("inner");
    Exception outer = new RuntimeException("outer", inner);
    inner.initCause(outer);
    List<Map<String, Object>> chain = cleaner.exceptions(outer);
    assertEquals(2, chain.size());
    assertEquals("java.lang.RuntimeException", chain.get(0).get("type"));
    assertEquals("inner", chain.get(1).get("message"));
    outer.setStackTrace(new StackTraceElement[] {frame("a.Main", "m", 12)});
    assertEquals(
        List.of(Arrays.asList("a.Main", "m", "Main.java", 12)),
        cleaner.exceptions(outer).get(0).get("frames"));
  }

  @Test
  public void messagesAreAndroids() {
    assertEquals(
        "Attempt to invoke virtual method 'int java.lang.String.length()' on a null object"
            + " reference",
        Messages.asOnAndroid(
            new NullPointerException(
                "Cannot invoke \"String.length()\" because \"<local1>\" is null")));
    assertEquals(
        "Attempt to invoke interface method 'boolean java.util.List.add(java.lang.Object)' on a"
            + " null object reference",
        Messages.asOnAndroid(
            new NullPointerException("Cannot invoke \"java.util.List.add(Object)\"")));
    assertEquals(
        "Attempt to invoke virtual method 'no.such.Type.run()' on a null object reference",
        Messages.asOnAndroid(new NullPointerException("Cannot invoke \"no.such.Type.run()\"")));
    assertEquals(
        "length=3; index=5",
        Messages.asOnAndroid(
            new ArrayIndexOutOfBoundsException("Index 5 out of bounds for length 3")));
    assertEquals(
        "length=0; regionStart=6; regionLength=-6",
        Messages.asOnAndroid(new StringIndexOutOfBoundsException("begin 6, end 0, length 0")));
    assertEquals(
        "length=3; index=5",
        Messages.asOnAndroid(new StringIndexOutOfBoundsException("index 5, length 3")));
    assertEquals("divide by zero", Messages.asOnAndroid(new ArithmeticException("/ by zero")));
    assertEquals(
        "a.B cannot be cast to c.D",
        Messages.asOnAndroid(
            new ClassCastException(
                "class a.B cannot be cast to class c.D (a.B is in unnamed module of loader 'app'"
                    + " @1f2e; c.D is in module java.base of loader 'bootstrap')")));
    assertEquals(
        "Failed resolution of: Lcom/example/Missing$Part;",
        Messages.asOnAndroid(new NoClassDefFoundError("com/example/Missing$Part")));
    assertEquals(
        "Could not initialize class a.B",
        Messages.asOnAndroid(new NoClassDefFoundError("Could not initialize class a.B")));
    assertNull(Messages.asOnAndroid(new RuntimeException()));
    assertEquals("x (y)", Messages.asOnAndroid(new RuntimeException("x (y)")));
  }
}
