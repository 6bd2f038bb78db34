package dev.fewtaps.twin.world;

import sun.misc.Unsafe;

/**
 * Numbers objects from 1 on in the order in which they are first asked for, by their identity hash
 * codes, which are unique. The table lies outside of the heap.
 */
final class ObjectNumbers {
  /** Slots at the beginning, a power of two. */
  private static final int FIRST_SLOTS = 1 << 14;

  /** Bytes of a slot: hash code, number. */
  private static final int SLOT = 8;

  private final Unsafe unsafe;
  private long table;
  private int slots = FIRST_SLOTS;
  private int last;

  ObjectNumbers(Unsafe unsafe) {
    this.unsafe = unsafe;
    this.table = allocate(slots);
  }

  int of(int hash) {
    long place = find(hash);
    int number = unsafe.getInt(place + 4);
    if (number == 0) {
      number = ++last;
      unsafe.putInt(place, hash);
      unsafe.putInt(place + 4, number);
      if (last > slots / 2) {
        grow();
      }
    }
    return number;
  }

  /** Frees the table. */
  void close() {
    unsafe.freeMemory(table);
  }

  /** The place of a hash code, or the free one where it belongs. */
  private long find(int hash) {
    int mixed = hash * 0x9E3779B9;
    int slot = (mixed ^ mixed >>> 15) & slots - 1;
    long place = table + (long) slot * SLOT;
    while (unsafe.getInt(place + 4) != 0 && unsafe.getInt(place) != hash) {
      slot = slot + 1 & slots - 1;
      place = table + (long) slot * SLOT;
    }
    return place;
  }

  private void grow() {
    long from = table;
    int old = slots;
    slots = old * 2;
    table = allocate(slots);
    for (int i = 0; i < old; i++) {
      long place = from + (long) i * SLOT;
      if (unsafe.getInt(place + 4) != 0) {
        unsafe.copyMemory(place, find(unsafe.getInt(place)), SLOT);
      }
    }
    unsafe.freeMemory(from);
  }

  private long allocate(int count) {
    long memory = unsafe.allocateMemory((long) count * SLOT);
    unsafe.setMemory(memory, (long) count * SLOT, (byte) 0);
    return memory;
  }
}
