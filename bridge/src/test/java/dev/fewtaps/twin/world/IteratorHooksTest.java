package dev.fewtaps.twin.world;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertSame;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.util.ArrayList;
import java.util.ConcurrentModificationException;
import java.util.Iterator;
import java.util.LinkedList;
import java.util.List;
import java.util.ListIterator;
import java.util.NoSuchElementException;
import java.util.Vector;
import org.junit.Test;

public class IteratorHooksTest {
  private static Iterator<?> iterator(List<?> list) {
    return IteratorHooks.iterator(list, list.iterator());
  }

  @SuppressWarnings("unchecked")
  private static ListIterator<String> listIterator(List<String> list) {
    return (ListIterator<String>) IteratorHooks.listIterator(list, list.listIterator());
  }

  /** What a loop sees that takes one element out of its list when it meets it. */
  private static String loopWithout(String removed, List<String> list) {
    StringBuilder seen = new StringBuilder();
    for (Iterator<?> all = iterator(list); all.hasNext(); ) {
      Object each = all.next();
      seen.append(each);
      if (each.equals(removed)) {
        list.remove(removed);
      }
    }
    return seen.toString();
  }

  @Test
  public void aLoopThatRemovesTheLastElementEndsAsOnAndroid() {
    assertEquals("abc", loopWithout("c", new ArrayList<>(List.of("a", "b", "c"))));
    assertEquals("abc", loopWithout("c", new Vector<>(List.of("a", "b", "c"))));
  }

  @Test
  public void aLoopThatRemovesTheElementBeforeTheLastFailsAsOnAndroid() {
    for (List<String> list :
        List.of(new ArrayList<>(List.of("a", "b")), new Vector<>(List.of("a", "b")))) {
      assertThrows(ConcurrentModificationException.class, () -> loopWithout("a", list));
    }
  }

  @Test
  public void aLoopThatAddsFailsUnlessItIsAtTheEnd() {
    List<String> list = new ArrayList<>(List.of("a"));
    Iterator<?> all = iterator(list);
    all.next();
    list.add("b");
    assertFalse(all.hasNext());
    assertThrows(ConcurrentModificationException.class, all::next);
  }

  @Test
  public void removingThroughTheIteratorLeavesTheRest() {
    List<String> list = new ArrayList<>(List.of("a", "b", "c"));
    Iterator<?> all = iterator(list);
    all.next();
    all.remove();
    assertThrows(IllegalStateException.class, all::remove);
    StringBuilder rest = new StringBuilder();
    all.forEachRemaining(rest::append);
    assertEquals("bc", rest.toString());
    assertFalse(all.hasNext());
    assertThrows(NoSuchElementException.class, all::next);
  }

  @Test
  public void aListIteratorGoesBackAndForthWhileItChangesItsList() {
    List<String> list = new ArrayList<>(List.of("a", "b"));
    ListIterator<String> all = listIterator(list);
    assertEquals("a", all.next());
    all.add("x");
    assertEquals("b", all.next());
    assertFalse(all.hasNext());
    assertEquals("b", all.previous());
    assertTrue(all.hasNext());
    all.set("c");
    all.remove();
    assertFalse(all.hasNext());
    assertTrue(all.hasPrevious());
    assertEquals(1, all.previousIndex());
    assertEquals(2, all.nextIndex());
    assertEquals(List.of("a", "x"), list);
  }

  @Test
  public void iteratorsOfOtherCollectionsAreLeftAsTheyAre() {
    Iterator<?> linked = new LinkedList<>(List.of("a")).iterator();
    assertSame(linked, IteratorHooks.iterator(List.of(), linked));
    assertNull(IteratorHooks.iterator(List.of(), null));
    Iterator<?> bounded = iterator(new ArrayList<>(List.of("a")));
    assertSame(bounded, IteratorHooks.iterator(List.of(), bounded));
  }
}
