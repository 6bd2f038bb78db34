package dev.fewtaps.twin.world;

import sun.misc.Unsafe;

/**
 * The table of values of a recording: equal values have equal numbers, from 1 on.
 *
 * <p>It lies at the end of the recording's file and grows towards its beginning. An entry is a word
 * with its kind in the upper 4 bits and its number of bytes in the lower 28; its bytes lie right
 * below, filled up to whole words. Nothing is kept on the heap; the index lies in memory of its
 * own.
 */
final class Values {
  static final int STRING = 1;
  static final int THREAD = 2;
  static final int NOTE = 3;
  static final int INT = 4;
  static final int LONG = 5;
  static final int BOOLEAN = 6;
  static final int CHAR = 7;
  static final int BYTE = 8;
  static final int SHORT = 9;
  static final int FLOAT = 10;
  static final int DOUBLE = 11;
  static final int TYPE = 12;
  static final int CUT = 13;
  static final int CLASS = 14;

  private static final int KIND_SHIFT = 28;
  private static final int LENGTH = (1 << KIND_SHIFT) - 1;

  /** Slots of the index at the beginning, a power of two. */
  private static final int FIRST_SLOTS = 1 << 12;

  /** Bytes of a slot: hash, number, distance of the entry from the end of the file in words. */
  private static final int SLOT = 12;

  private final Unsafe unsafe;
  private final long end;
  private final long most;
  private long lowest;
  private long newest;
  private long index;
  private int slots = FIRST_SLOTS;
  private int count;

  /** Makes an empty table below an address, of so many bytes at most. */
  Values(Unsafe unsafe, long end, long most) {
    this.unsafe = unsafe;
    this.end = end;
    this.most = most;
    this.lowest = end;
    this.index = allocate(slots);
  }

  /** The address of the lowest entry. */
  long lowest() {
    return lowest;
  }

  /** Frees the index. */
  synchronized void close() {
    unsafe.freeMemory(index);
    index = 0;
  }

  /** The number of the first characters of a text; 0 if the table is full. */
  synchronized int text(int kind, String text, int length) {
    if (index == 0) {
      return 0;
    }
    int hash = kind;
    for (int i = 0; i < length; i++) {
      hash = 31 * hash + text.charAt(i);
    }
    hash = scattered(hash);
    for (int slot = hash & slots - 1; ; slot = slot + 1 & slots - 1) {
      long place = index + (long) slot * SLOT;
      int number = unsafe.getInt(place + 4);
      if (number == 0) {
        long room = begin(kind, bytesOf(text, length));
        if (room == 0) {
          return 0;
        }
        encode(room, text, length, true);
        return enter(place, hash);
      }
      if (unsafe.getInt(place) == hash) {
        long entry = entryAt(place);
        int bytes = unsafe.getInt(entry) & LENGTH;
        if (unsafe.getInt(entry) >>> KIND_SHIFT == kind
            && bytes == bytesOf(text, length)
            && encode(entry - padded(bytes), text, length, false)) {
          return number;
        }
      }
    }
  }

  /** The number of a number or truth value of some kind; 0 if the table is full. */
  synchronized int number(int kind, long bits) {
    if (index == 0) {
      return 0;
    }
    int hash = scattered((int) (bits ^ bits >>> 32) * 31 + kind);
    for (int slot = hash & slots - 1; ; slot = slot + 1 & slots - 1) {
      long place = index + (long) slot * SLOT;
      int number = unsafe.getInt(place + 4);
      if (number == 0) {
        long room = begin(kind, 8);
        if (room == 0) {
          return 0;
        }
        unsafe.putInt(room, (int) bits);
        unsafe.putInt(room + 4, (int) (bits >>> 32));
        return enter(place, hash);
      }
      if (unsafe.getInt(place) == hash) {
        long entry = entryAt(place);
        if (unsafe.getInt(entry) >>> KIND_SHIFT == kind
            && (unsafe.getInt(entry) & LENGTH) == 8
            && unsafe.getInt(entry - 8) == (int) bits
            && unsafe.getInt(entry - 4) == (int) (bits >>> 32)) {
          return number;
        }
      }
    }
  }

  /** Adds the name of a thread, which has no number among the values. */
  synchronized void thread(String name) {
    int length = Math.min(name.length(), Recorder.LONGEST_TEXT);
    long room = index == 0 ? 0 : begin(THREAD, bytesOf(name, length));
    if (room != 0) {
      encode(room, name, length, true);
    }
  }

  /** Adds a class with the number of its first block; it has no number among the values. */
  synchronized void type(String name, int firstBlock) {
    long room = index == 0 ? 0 : begin(CLASS, 4 + bytesOf(name, name.length()));
    if (room != 0) {
      unsafe.putInt(room, firstBlock);
      encode(room + 4, name, name.length(), true);
    }
  }

  private static int scattered(int hash) {
    int mixed = hash * 0x9E3779B9;
    return mixed ^ mixed >>> 15;
  }

  private long entryAt(long place) {
    return end - 4L * unsafe.getInt(place + 8);
  }

  /** Makes room for an entry and returns the address of its bytes, or 0 if there is none. */
  private long begin(int kind, int bytes) {
    long header = lowest - 4;
    long room = header - padded(bytes);
    if (room < end - most || !Recorder.makesRoom(room)) {
      Recorder.valuesFull();
      return 0;
    }
    unsafe.putInt(header, kind << KIND_SHIFT | bytes);
    newest = header;
    lowest = room;
    return room;
  }

  /** Numbers the entry that was made last. */
  private int enter(long place, int hash) {
    int number = ++count;
    unsafe.putInt(place, hash);
    unsafe.putInt(place + 4, number);
    unsafe.putInt(place + 8, (int) ((end - newest) / 4));
    if (count > slots / 2) {
      grow();
    }
    return number;
  }

  private void grow() {
    int old = slots;
    long from = index;
    slots = old * 2;
    index = allocate(slots);
    for (int i = 0; i < old; i++) {
      long place = from + (long) i * SLOT;
      if (unsafe.getInt(place + 4) != 0) {
        int slot = unsafe.getInt(place) & slots - 1;
        while (unsafe.getInt(index + (long) slot * SLOT + 4) != 0) {
          slot = slot + 1 & slots - 1;
        }
        unsafe.copyMemory(place, index + (long) slot * SLOT, SLOT);
      }
    }
    unsafe.freeMemory(from);
  }

  private long allocate(int slots) {
    long memory = unsafe.allocateMemory((long) slots * SLOT);
    unsafe.setMemory(memory, (long) slots * SLOT, (byte) 0);
    return memory;
  }

  private static int padded(int bytes) {
    return bytes + 3 & ~3;
  }

  private static int bytesOf(String text, int length) {
    int bytes = 0;
    for (int i = 0; i < length; i++) {
      char c = text.charAt(i);
      bytes += c < 0x80 ? 1 : c < 0x800 ? 2 : 3;
    }
    return bytes;
  }

  /** Writes a text as UTF-8, surrogates by themselves; or says whether it is there already. */
  private boolean encode(long to, String text, int length, boolean write) {
    long at = to;
    for (int i = 0; i < length; i++) {
      char c = text.charAt(i);
      if (c < 0x80) {
        if (!put(at++, c, write)) {
          return false;
        }
      } else if (c < 0x800) {
        if (!put(at++, 0xC0 | c >> 6, write) || !put(at++, 0x80 | c & 0x3F, write)) {
          return false;
        }
      } else if (!put(at++, 0xE0 | c >> 12, write)
          || !put(at++, 0x80 | c >> 6 & 0x3F, write)
          || !put(at++, 0x80 | c & 0x3F, write)) {
        return false;
      }
    }
    return true;
  }

  private boolean put(long at, int value, boolean write) {
    if (write) {
      unsafe.putByte(at, (byte) value);
      return true;
    }
    return unsafe.getByte(at) == (byte) value;
  }
}
