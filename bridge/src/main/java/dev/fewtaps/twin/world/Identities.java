package dev.fewtaps.twin.world;

import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;

/** Numbers objects in the order in which they are asked about, without keeping them alive. */
final class Identities {
  private static final class Entry extends WeakReference<Object> {
    final int real;
    final int given;
    Entry next;

    Entry(Object object, int real, int given, Entry next, ReferenceQueue<Object> queue) {
      super(object, queue);
      this.real = real;
      this.given = given;
      this.next = next;
    }
  }

  private final ReferenceQueue<Object> dead = new ReferenceQueue<>();
  private Entry[] table = new Entry[1024];
  private int size;
  private int last;

  /** Returns the object's number, scattered over 28 bits as identity hash codes are. */
  synchronized int of(Object object) {
    int real = System.identityHashCode(object);
    int at = real & (table.length - 1);
    for (Entry entry = table[at]; entry != null; entry = entry.next) {
      if (entry.real == real && entry.get() == object) {
        return entry.given;
      }
    }
    sweep();
    if (size > table.length) {
      grow();
      at = real & (table.length - 1);
    }
    int given = (int) (Draw.bits(0, Draw.IDENTITY, ++last) & 0x0fffffff);
    table[at] = new Entry(object, real, given, table[at], dead);
    size++;
    return given;
  }

  synchronized void clear() {
    table = new Entry[1024];
    size = 0;
  }

  private void sweep() {
    for (Entry gone = (Entry) dead.poll(); gone != null; gone = (Entry) dead.poll()) {
      int at = gone.real & (table.length - 1);
      Entry before = null;
      for (Entry entry = table[at]; entry != null; before = entry, entry = entry.next) {
        if (entry == gone) {
          if (before == null) {
            table[at] = entry.next;
          } else {
            before.next = entry.next;
          }
          size--;
          break;
        }
      }
    }
  }

  private void grow() {
    Entry[] old = table;
    table = new Entry[old.length * 2];
    for (Entry head : old) {
      for (Entry entry = head; entry != null; ) {
        Entry next = entry.next;
        int at = entry.real & (table.length - 1);
        entry.next = table[at];
        table[at] = entry;
        entry = next;
      }
    }
  }
}
