package dev.fewtaps.twin.world;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.ListIterator;
import java.util.Vector;
import java.util.function.Consumer;

/**
 * Iterators of {@code ArrayList} and {@code Vector} that end where Android's end.
 *
 * <p>On Android such an iterator has a next element until it has passed as many as the list had
 * when it was made; the JVM compares with the size that the list has now. So a loop that removes
 * the last element of its list ends on a phone, and one that removes the element before fails.
 */
public final class IteratorHooks {
  private static final String ITERATOR = "()Ljava/util/Iterator;";
  private static final String LIST_ITERATOR = "()Ljava/util/ListIterator;";
  private static final Class<?> OF_ARRAY_LIST = new ArrayList<>().iterator().getClass();
  private static final Class<?> OF_VECTOR = new Vector<>().iterator().getClass();
  private static final Class<?> LIST_OF_ARRAY_LIST = new ArrayList<>().listIterator().getClass();
  private static final Class<?> LIST_OF_VECTOR = new Vector<>().listIterator().getClass();

  private IteratorHooks() {}

  @AfterCall(owner = "java/lang/Iterable", name = "iterator", desc = ITERATOR)
  @AfterCall(owner = "java/util/Collection", name = "iterator", desc = ITERATOR)
  @AfterCall(owner = "java/util/AbstractCollection", name = "iterator", desc = ITERATOR)
  @AfterCall(owner = "java/util/List", name = "iterator", desc = ITERATOR)
  @AfterCall(owner = "java/util/AbstractList", name = "iterator", desc = ITERATOR)
  @AfterCall(owner = "java/util/ArrayList", name = "iterator", desc = ITERATOR, subclasses = true)
  @AfterCall(owner = "java/util/Vector", name = "iterator", desc = ITERATOR, subclasses = true)
  public static Iterator<?> iterator(Object list, Iterator<?> made) {
    Class<?> type = made == null ? null : made.getClass();
    return type == OF_ARRAY_LIST || type == OF_VECTOR
        ? new Bounded<>(made, ((Collection<?>) list).size())
        : made;
  }

  @AfterCall(owner = "java/util/List", name = "listIterator", desc = LIST_ITERATOR)
  @AfterCall(owner = "java/util/AbstractList", name = "listIterator", desc = LIST_ITERATOR)
  @AfterCall(
      owner = "java/util/ArrayList",
      name = "listIterator",
      desc = LIST_ITERATOR,
      subclasses = true)
  @AfterCall(
      owner = "java/util/Vector",
      name = "listIterator",
      desc = LIST_ITERATOR,
      subclasses = true)
  public static ListIterator<?> listIterator(Object list, ListIterator<?> made) {
    Class<?> type = made == null ? null : made.getClass();
    return type == LIST_OF_ARRAY_LIST || type == LIST_OF_VECTOR
        ? new BoundedList<>(made, ((Collection<?>) list).size())
        : made;
  }

  /** An iterator that ends after as many elements as it was told. */
  private static class Bounded<E> implements Iterator<E> {
    private final Iterator<E> all;
    int left;

    Bounded(Iterator<E> all, int left) {
      this.all = all;
      this.left = left;
    }

    @Override
    public boolean hasNext() {
      return left > 0;
    }

    @Override
    public E next() {
      E next = all.next();
      left--;
      return next;
    }

    @Override
    public void remove() {
      all.remove();
    }

    @Override
    public void forEachRemaining(Consumer<? super E> action) {
      all.forEachRemaining(action);
      left = 0;
    }
  }

  /** The same for an iterator that also goes back and inserts. */
  private static final class BoundedList<E> extends Bounded<E> implements ListIterator<E> {
    private final ListIterator<E> all;
    private boolean wentBack;

    BoundedList(ListIterator<E> all, int left) {
      super(all, left);
      this.all = all;
    }

    @Override
    public E next() {
      E next = super.next();
      wentBack = false;
      return next;
    }

    @Override
    public boolean hasPrevious() {
      return all.hasPrevious();
    }

    @Override
    public E previous() {
      E previous = all.previous();
      left++;
      wentBack = true;
      return previous;
    }

    @Override
    public int nextIndex() {
      return all.nextIndex();
    }

    @Override
    public int previousIndex() {
      return all.previousIndex();
    }

    @Override
    public void remove() {
      all.remove();
      left -= wentBack ? 1 : 0;
    }

    @Override
    public void set(E element) {
      all.set(element);
    }

    @Override
    public void add(E element) {
      all.add(element);
    }
  }
}
