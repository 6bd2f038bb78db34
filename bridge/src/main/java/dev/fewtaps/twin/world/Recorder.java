package dev.fewtaps.twin.world;

import java.io.IOException;
import java.nio.Buffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.BitSet;
import sun.misc.Unsafe;

/**
 * Writes what the app's code does into a mapped file, one 32-bit word after the other.
 *
 * <p>The methods of the first part are called by the probes in the app's classes. They take nothing
 * from the world, allocate nothing on the heap and never throw. Only one thread of a world runs at
 * a time, so they need no lock; threads that have lost their turn write under one.
 */
public final class Recorder {
  /** The first word of the file: "FWR1". */
  static final int MAGIC = 0x31525746;

  /** Bytes of the file before the first word. */
  static final int HEADER_BYTES = 64;

  /** Characters of a string that still count as a value. */
  static final int LONGEST_TEXT = 256;

  /** Characters of a string that are told where values are asked for. */
  static final int LONGEST_SEEN = 200;

  /**
   * How many times longer a recorded run may take before a budget of real time is used up: a loop
   * that computes may be fifteen times slower.
   */
  static final int PATIENCE = 16;

  private static final int KIND_SHIFT = 28;
  private static final int PAYLOAD = (1 << KIND_SHIFT) - 1;
  private static final int OBJECT = 1 << KIND_SHIFT;
  private static final int NUMBER = 2 << KIND_SHIFT;
  private static final int VALUE = 3 << KIND_SHIFT;
  private static final int UNWOUND = 4 << KIND_SHIFT;
  private static final int TURN = 5 << KIND_SHIFT;
  private static final int EVENT = 6 << KIND_SHIFT;
  private static final int HAND = 7 << KIND_SHIFT;
  private static final int TASK = 8 << KIND_SHIFT;
  private static final int DONE = 9 << KIND_SHIFT;
  private static final int WOKE = 10 << KIND_SHIFT;
  private static final int LOST = 11 << KIND_SHIFT;
  private static final int NOTE = 12 << KIND_SHIFT;
  private static final int INPUT = 13 << KIND_SHIFT;
  private static final int PROCESS = 14 << KIND_SHIFT;

  /** So many finished futures are remembered, a power of two. */
  private static final int FINISHES = 1 << 12;

  private static final String ENDED = "end of the thread";

  /** A number that fits the payload of a word. */
  private static final int SMALLEST = -(1 << (KIND_SHIFT - 1));

  private static final int LARGEST = (1 << (KIND_SHIFT - 1)) - 1;

  // The flags of the header.
  private static final int FULL = 1;
  private static final int UNORDERED = 2;
  private static final int WRAPPED = 4;
  private static final int LEFT_OUT = 8;
  private static final int VALUES_FULL = 16;
  private static final int NUMBERED = 32;

  private static final Unsafe UNSAFE = RawMemory.UNSAFE;

  /** The file's memory; null where nothing is recorded. */
  private static MappedByteBuffer file;

  private static MappedByteBuffer before;
  private static long base;

  /** Address of the next word. */
  private static long at;

  /** Address at which no word is written any more: {@link #at} while recording pauses. */
  private static long end;

  /** The thread that wrote the last word, null if the next word has to look for its thread. */
  public static Thread writer;

  /** Frames that ended by an overflow of the stack in which there was no room to say so. */
  public static int missed;

  /**
   * Whether words are left out: before and after the events that were asked for, or for want of
   * room.
   */
  private static volatile boolean paused = true;

  private static Values values;
  private static int threads;
  private static int current;
  private static int crowd;
  private static int flags;
  private static int event;
  private static int firstEvent;
  private static int lastEvent;
  private static int tokens;
  private static int[] finishes;

  /** The numbers of objects where only a part of the run is recorded, else null. */
  private static ObjectNumbers numbers;

  private Recorder() {}

  // ---- called by the probes

  /** A block of the app's code begins. */
  public static void block(int number) {
    write(number);
  }

  /** Names an object, or null. */
  public static void object(Object object) {
    write(OBJECT | identity(object));
  }

  /** Tells an int, short, byte, char or boolean. */
  public static void number(int number) {
    if (number >= SMALLEST && number <= LARGEST) {
      write(NUMBER | number & PAYLOAD);
    } else {
      tell(Values.INT, number);
    }
  }

  /** Tells a long. */
  public static void value(long number) {
    tell(Values.LONG, number);
  }

  /** Tells the value of a string or a box; other objects have none. */
  public static void value(Object object) {
    if (at < end) {
      write(VALUE | numberOf(object));
    }
  }

  /** Names an object, then tells its value. */
  public static void objectAndValue(Object object) {
    write(OBJECT | identity(object));
    value(object);
  }

  /** Names an array and tells the index of its element. */
  public static void element(Object array, int index) {
    write(OBJECT | identity(array));
    number(index);
  }

  /** The current frame ends by an exception. */
  public static void unwound(Throwable error) {
    write(UNWOUND | identity(error));
  }

  /** An instruction of a block has made this value; only where values are asked for. */
  public static void seen(int block, int index, Object value) {
    if (at < end) {
      write(block);
      write(NUMBER | index);
      write(OBJECT | identity(value));
      write(VALUE | lookOf(value));
    }
  }

  /** An instruction of a block has made this value; only where values are asked for. */
  public static void seen(int block, int index, int value) {
    seen(block, index, Values.INT, value);
  }

  /** An instruction of a block has made this value; only where values are asked for. */
  public static void seen(int block, int index, long value) {
    seen(block, index, Values.LONG, value);
  }

  /** An instruction of a block has made this value; only where values are asked for. */
  public static void seen(int block, int index, float value) {
    seen(block, index, Values.FLOAT, Float.floatToIntBits(value));
  }

  /** An instruction of a block has made this value; only where values are asked for. */
  public static void seen(int block, int index, double value) {
    seen(block, index, Values.DOUBLE, Double.doubleToLongBits(value));
  }

  /** An instruction of a block has made this value; only where values are asked for. */
  public static void seen(int block, int index, boolean value) {
    seen(block, index, Values.BOOLEAN, value ? 1 : 0);
  }

  /** An instruction of a block has made this value; only where values are asked for. */
  public static void seen(int block, int index, char value) {
    seen(block, index, Values.CHAR, value);
  }

  // ---- called by the twin where it loads classes

  /**
   * A class is loaded whose blocks are numbered from here on: if this process dies with the app,
   * another one can still describe the blocks.
   */
  public static void loaded(String className, int firstBlock) {
    if (file != null) {
      values.type(className, firstBlock);
    }
  }

  // ---- called by the twin where it hands work on

  /** Whether this run is recorded. */
  public static boolean isOn() {
    return file != null;
  }

  /**
   * Work is handed on here; returns its token, 0 where nothing is recorded.
   *
   * <p>What the framework hands on in a task before any code of the app has run in it gets the
   * token of that task: such work is due to what the task is due to.
   *
   * @param what names the way for people; null if the app's own call says it
   */
  public static int hand(String what) {
    Strand strand = file == null ? null : writer();
    if (strand == null) {
      return 0;
    }
    synchronized (Recorder.class) {
      Tasks tasks = strand.tasks();
      if (!tasks.hasRun() && tasks.token() != Tasks.UNKNOWN) {
        return tasks.token();
      }
      int token = ++tokens & PAYLOAD; // Counted outside of the events that are recorded too.
      boolean byApp = tasks.hasRun();
      arrive(strand);
      put(HAND | token);
      if (what != null && !paused) {
        put(NOTE | values.text(Values.NOTE, what, what.length()));
      }
      if (!byApp) {
        tasks.setToken(token);
      }
      return token;
    }
  }

  /** Work with this token begins on this thread; it is told when code of the app runs in it. */
  public static void task(int token) {
    Strand strand = file == null ? null : writer();
    if (strand != null) {
      synchronized (Recorder.class) {
        strand.tasks().begin(token);
        writer = null;
      }
    }
  }

  /** The work that began last on this thread ends. */
  public static void done() {
    Strand strand = file == null ? null : writer();
    if (strand != null) {
      synchronized (Recorder.class) {
        if (strand.tasks().end()) {
          arrive(strand);
          put(DONE);
        }
        writer = null;
      }
    }
  }

  /**
   * An exception ends the work that is under way on this thread: it is told which work that was,
   * also if no code of the app has run in it.
   */
  static void failed() {
    Strand strand = file == null ? null : writer();
    if (strand != null) {
      synchronized (Recorder.class) {
        arrive(strand);
        writer = null;
      }
    }
  }

  /** Remembers the token with which a future was finished; only the latest futures are kept. */
  static void finished(Object future, int token) {
    int[] table = finishes;
    if (table != null) {
      int identity = System.identityHashCode(future);
      int slot = (identity & (FINISHES - 1)) * 2;
      table[slot] = identity;
      table[slot + 1] = token;
    }
  }

  /** The token with which a future was finished, 0 if it is not known. */
  static int finishOf(Object future) {
    int[] table = finishes;
    if (table == null) {
      return 0;
    }
    int identity = System.identityHashCode(future);
    int slot = (identity & (FINISHES - 1)) * 2;
    return table[slot] == identity ? table[slot + 1] : 0;
  }

  /** The user puts something into a widget: a text, a check mark, a choice. */
  public static void input(Object widget) {
    Strand strand = file == null ? null : writer();
    if (strand != null) {
      int identity = identity(widget);
      synchronized (Recorder.class) {
        arrive(strand);
        put(INPUT | identity);
        writer = null;
      }
    }
  }

  /** The app's process has ended and another one begins, in which no class is initialised yet. */
  public static void process() {
    Strand strand = file == null ? null : writer();
    if (strand != null) {
      synchronized (Recorder.class) {
        arrive(strand);
        put(PROCESS);
        writer = null;
      }
    }
  }

  /**
   * The main thread will never get the monitor that it wants. What threads do from here on, because
   * they are ended, is not written.
   */
  static synchronized void stuck() {
    if (file != null) {
      pause();
    }
  }

  /** A thread is over; told by the thread that found it so. */
  static void ended(Strand strand) {
    if (file != null && strand.isRecorded()) {
      synchronized (Recorder.class) {
        strand.endToken = ++tokens & PAYLOAD;
        arrive(strand);
        put(HAND | strand.endToken);
        if (!paused) {
          put(NOTE | values.text(Values.NOTE, ENDED, ENDED.length()));
        }
        writer = null;
      }
    }
  }

  /** This thread goes on because of what was handed on with this token. */
  public static void woke(int token) {
    if (token != 0) {
      write(WOKE | token);
    }
  }

  /**
   * This thread has waited and goes on because of another one, by a call on the object that it
   * waited for; which call it was, the words of the calls tell.
   */
  static void waited() {
    Strand strand = file == null ? null : writer();
    if (strand != null && strand.tasks().hasRun()) {
      write(WOKE);
    }
  }

  /** The strand of this thread if its words are written: those of the JVM's own threads are not. */
  private static Strand writer() {
    Strand strand = Strand.current();
    if (strand == null || strand.world.ended || strand.world.dying && !strand.main) {
      flags |= LEFT_OUT; // such as the thread that runs finalizers
      return null;
    }
    return strand;
  }

  // ---- life

  /**
   * Starts to record into a file that is there and as large as it may become, from one event on and
   * up to another, both included; event 0 is the launch.
   */
  public static void begin(Path path, int from, int until) throws IOException {
    close();
    try (FileChannel channel =
        FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      long size = Math.min(channel.size(), Integer.MAX_VALUE) & ~7L;
      if (size < 2 * HEADER_BYTES) {
        throw new IOException("the file for the record is too small");
      }
      file = channel.map(FileChannel.MapMode.READ_WRITE, 0, size);
      file.order(ByteOrder.LITTLE_ENDIAN);
      base = UNSAFE.getLong(file, addressOffset());
      at = base + HEADER_BYTES;
      pause();
      values = new Values(UNSAFE, base + size, size / 4);
    }
    threads = 0;
    current = 0;
    crowd = 0;
    missed = 0;
    boolean isPart = from > 0 || until < Integer.MAX_VALUE;
    numbers = isPart ? new ObjectNumbers(UNSAFE) : null;
    flags = isPart ? NUMBERED : 0;
    tokens = 0;
    finishes = new int[2 * FINISHES];
    firstEvent = from;
    lastEvent = until;
    file.putInt(0, MAGIC);
    sync();
  }

  /** Says that an event begins. */
  public static void event(int number) {
    if (file == null) {
      return;
    }
    event = number;
    if (number < firstEvent || number > lastEvent) {
      pause();
    } else if (paused && (flags & FULL) == 0) {
      paused = false;
      end = values.lowest();
      current = 0; // Which thread has its turn is told anew.
    }
    Strand strand = writer();
    if (strand != null) {
      synchronized (Recorder.class) {
        strand.tasks().reset();
        arrive(strand);
        put(EVENT | number);
        writer = null;
      }
    }
  }

  /** Makes the file's header fit its words; to be called at the end of each event. */
  public static void sync() {
    if (file != null) {
      if (System.identityHashCode(new Object()) > LARGEST) {
        flags |= WRAPPED;
      }
      file.putInt(4, (int) ((at - base - HEADER_BYTES) / 4));
      file.putInt(8, flags);
    }
  }

  /** The numbers of all blocks in the file. */
  public static BitSet blocks() {
    BitSet found = new BitSet();
    MappedByteBuffer words = file;
    if (words != null) {
      for (long word = base + HEADER_BYTES; word < at; word += 4) {
        int value = UNSAFE.getInt(word);
        if (value >>> KIND_SHIFT == 0) {
          found.set(value);
        }
      }
    }
    return found;
  }

  /** Stops to record: what the probes tell from now on is not written. */
  public static void close() {
    if (file != null) {
      sync();
      pause();
      values.close();
      if (numbers != null) {
        synchronized (Recorder.class) {
          numbers.close();
          numbers = null;
        }
      }
      // A thread that is about to write a word must not find its memory gone, so the last file
      // stays
      // mapped. The one before it is unmapped now: the collector may leave files mapped until the
      // process has no addresses left.
      if (before != null) {
        UNSAFE.invokeCleaner(before);
      }
      before = file;
      file = null;
    }
  }

  /** Says that a thread has lost its turn: more than one may write from now on. */
  static synchronized void lost() {
    crowd++;
    writer = null;
  }

  /** Says that a thread which had lost its turn waits for one again, or is over. */
  static synchronized void found() {
    crowd = Math.max(0, crowd - 1);
  }

  /**
   * How many nanoseconds a budget of real time has in this run. Where no words are written, because
   * the file is full, the probes take next to no time.
   */
  static long patience(long nanos) {
    return file == null || isFull() ? nanos : nanos * PATIENCE;
  }

  /** Whether the file has no room left. */
  static boolean isFull() {
    return file != null && (flags & FULL) != 0;
  }

  // ---- words

  private static void write(int word) {
    if (Thread.currentThread() != writer || at >= end) {
      writeSlowly(word);
      return;
    }
    UNSAFE.putInt(at, word);
    at += 4;
  }

  private static void writeSlowly(int word) {
    if (file == null) {
      return;
    }
    if (Thread.currentThread() == writer) {
      if (!paused) {
        synchronized (Recorder.class) {
          put(word); // There is no room.
        }
      }
      return;
    }
    Strand strand = writer();
    if (strand == null) {
      return;
    }
    synchronized (Recorder.class) {
      strand.tasks().run();
      arrive(strand);
      for (; missed > 0; missed--) {
        put(UNWOUND);
      }
      writer = crowd == 0 ? Thread.currentThread() : null;
      put(word);
    }
  }

  /** Says, where that is not clear, which thread writes from here on and which task it is at. */
  private static void arrive(Strand strand) {
    if (!paused && strand.recorded == 0) {
      strand.recorded = ++threads;
      values.thread(strand.main ? "main" : strand.thread.getName());
    }
    if (!paused && strand.recorded != current) {
      current = strand.recorded;
      put(TURN | current - 1);
      if (strand.lost) {
        flags |= UNORDERED;
        put(LOST);
      }
    }
    for (int token = strand.tasks().next(paused); token >= 0; token = strand.tasks().next(paused)) {
      put(TASK | token);
    }
  }

  private static void put(int word) {
    if (at < end) {
      UNSAFE.putInt(at, word);
      at += 4;
    } else if (!paused) {
      pause();
      flags |= FULL;
      file.putInt(12, event);
      sync();
    }
  }

  private static void pause() {
    paused = true;
    end = at;
    writer = null;
  }

  /** Takes the room from an address on away from the words; false if words are there already. */
  static boolean makesRoom(long address) {
    if (address < at) {
      return false;
    }
    if (!paused) {
      end = address;
    }
    return true;
  }

  private static void tell(int kind, long bits) {
    if (at < end) {
      write(VALUE | values.number(kind, bits));
    }
  }

  private static void seen(int block, int index, int kind, long bits) {
    if (at < end) {
      write(block);
      write(NUMBER | index);
      write(VALUE | values.number(kind, bits));
    }
  }

  /**
   * The JVM's number of an object: a counter, by an option of the twin's JVM. Objects of its
   * archive have larger ones, which are kept apart from the counter's.
   */
  private static int identity(Object object) {
    if (numbers != null) {
      return object == null ? 0 : firstUse(object);
    }
    int number = System.identityHashCode(object);
    return number <= LARGEST ? number : 1 << (KIND_SHIFT - 1) | number & LARGEST;
  }

  /** The number of an object in the order of first use, which is the same in every replay. */
  private static int firstUse(Object object) {
    if (Thread.currentThread() != writer && writer() == null) {
      return 0;
    }
    synchronized (Recorder.class) {
      return numbers == null ? 0 : numbers.of(System.identityHashCode(object)) & PAYLOAD;
    }
  }

  private static int numberOf(Object object) {
    if (object instanceof String) {
      String text = (String) object;
      return text.length() > LONGEST_TEXT ? 0 : values.text(Values.STRING, text, text.length());
    }
    return object == null ? 0 : boxed(object);
  }

  private static int boxed(Object object) {
    if (object instanceof Integer) {
      return values.number(Values.INT, (Integer) object);
    } else if (object instanceof Long) {
      return values.number(Values.LONG, (Long) object);
    } else if (object instanceof Boolean) {
      return values.number(Values.BOOLEAN, (Boolean) object ? 1 : 0);
    } else if (object instanceof Character) {
      return values.number(Values.CHAR, (Character) object);
    } else if (object instanceof Double) {
      return values.number(Values.DOUBLE, Double.doubleToLongBits((Double) object));
    } else if (object instanceof Float) {
      return values.number(Values.FLOAT, Float.floatToIntBits((Float) object));
    } else if (object instanceof Short) {
      return values.number(Values.SHORT, (Short) object);
    } else if (object instanceof Byte) {
      return values.number(Values.BYTE, (Byte) object);
    }
    return 0;
  }

  /** What a person is shown of an object: its value, cut if it is long, or its class. */
  private static int lookOf(Object object) {
    if (object == null) {
      return 0;
    }
    if (object instanceof String) {
      String text = (String) object;
      return text.length() > LONGEST_SEEN
          ? values.text(Values.CUT, text, LONGEST_SEEN)
          : values.text(Values.STRING, text, text.length());
    }
    int number = boxed(object);
    if (number != 0) {
      return number;
    }
    String type = object.getClass().getName();
    return values.text(Values.TYPE, type, type.length());
  }

  private static long addressOffset() {
    try {
      return UNSAFE.objectFieldOffset(Buffer.class.getDeclaredField("address"));
    } catch (NoSuchFieldException e) {
      throw new IllegalStateException(e);
    }
  }

  static void valuesFull() {
    flags |= VALUES_FULL;
  }
}
