package dev.fewtaps.twin.inside;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertSame;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.Test;

public class RecursionTest {
  /** A stack whose last turn is cut after some frames, as the end of the stack cuts it. */
  private static StackTraceElement[] stack(int cut, int depth, String... turn) {
    List<StackTraceElement> frames = new ArrayList<>();
    for (int i = 0; i < depth; i++) {
      String method = turn[(i + cut) % turn.length];
      frames.add(new StackTraceElement("some.Type", method, "Type.java", 7));
    }
    return frames.toArray(new StackTraceElement[0]);
  }

  private static List<String> methods(StackTraceElement[] frames) {
    return Arrays.stream(frames).map(StackTraceElement::getMethodName).toList();
  }

  @Test
  public void whereTheStackEndedMakesNoDifference() {
    StackTraceElement[] first = Recursion.settled(stack(0, 1000, "a", "b", "c"));
    assertArrayEquals(first, Recursion.settled(stack(1, 1000, "a", "b", "c")));
    assertArrayEquals(first, Recursion.settled(stack(2, 903, "a", "b", "c")));
  }

  @Test
  public void whatIsShownAreWholeTurnsFromAFixedFrame() {
    List<String> shown = methods(Recursion.settled(stack(1, 1000, "c", "a", "b")));
    assertEquals(30, shown.size());
    assertEquals(List.of("a", "b", "c", "a", "b", "c"), shown.subList(0, 6));
  }

  @Test
  public void aTurnLongerThanWhatIsShownIsShownOnce() {
    String[] turn = new String[50];
    Arrays.setAll(turn, i -> String.format("m%02d", i));
    List<String> shown = methods(Recursion.settled(stack(13, 1000, turn)));
    assertEquals(Arrays.asList(turn), shown);
  }

  @Test
  public void aStackWithoutACircleStaysAsItIs() {
    String[] different = new String[1000];
    Arrays.setAll(different, i -> "m" + i);
    StackTraceElement[] frames = stack(0, 1000, different);
    assertSame(frames, Recursion.settled(frames));
    StackTraceElement[] few = stack(0, 100, "a");
    assertSame(few, Recursion.settled(few));
  }

  @Test
  public void onlyStackOverflowsAreSettledAndAllOfAChain() {
    StackOverflowError overflow = new StackOverflowError();
    overflow.setStackTrace(stack(0, 1000, "a"));
    RuntimeException outer = new RuntimeException(overflow);
    outer.setStackTrace(stack(0, 1000, "a"));
    Recursion.settle(outer);
    assertEquals(1000, outer.getStackTrace().length);
    assertEquals(32, overflow.getStackTrace().length);
  }
}
