package dev.fewtaps.twin.code;

import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * Keeps translated classes in a directory that several processes may use at once.
 *
 * <p>What a process adds becomes one new file, complete from the moment it has its name; nothing is
 * ever changed in place. A directory that cannot be written only costs time.
 */
final class ClassStore {
  private static final int MAGIC = 0x46544331;
  private static final int MANY_FILES = 6;
  private static final String SUFFIX = ".classes";

  private final Path directory;
  private final Map<String, Slot> stored = new ConcurrentHashMap<>();
  private final Map<String, Entry> pending = new HashMap<>();
  private final List<Path> files = new ArrayList<>();

  private ClassStore(Path directory) {
    this.directory = directory;
  }

  /** Opens the directory, made if need be, and learns what is in it. */
  static ClassStore open(Path directory) {
    ClassStore store = new ClassStore(directory);
    try {
      Files.createDirectories(directory);
      try (Stream<Path> listed = Files.list(directory)) {
        listed.filter(file -> file.toString().endsWith(SUFFIX)).sorted().forEach(store::index);
      }
    } catch (IOException | UncheckedIOException e) {
      return store;
    }
    if (store.files.size() >= MANY_FILES) {
      store.merge();
    }
    return store;
  }

  /** Returns a class and its notes, or null if it is not stored. */
  Entry get(String name) {
    synchronized (pending) {
      Entry entry = pending.get(name);
      if (entry != null) {
        return entry;
      }
    }
    Slot slot = stored.get(name);
    return slot == null ? null : slot.read();
  }

  /** Adds a class; it reaches the disk with the next {@link #flush}. */
  void put(String name, Entry entry) {
    synchronized (pending) {
      pending.put(name, entry);
    }
  }

  /** Writes what was added since the last time. */
  void flush() {
    Map<String, Entry> batch;
    synchronized (pending) {
      batch = new TreeMap<>(pending);
    }
    if (batch.isEmpty()) {
      return;
    }
    try {
      index(write(batch));
    } catch (IOException | UncheckedIOException e) {
      return;
    }
    synchronized (pending) {
      batch.keySet().forEach(pending::remove);
    }
  }

  int pendingCount() {
    synchronized (pending) {
      return pending.size();
    }
  }

  private void merge() {
    Map<String, Entry> all = new TreeMap<>();
    stored.forEach((name, slot) -> all.put(name, slot.read()));
    List<Path> old = List.copyOf(files);
    try {
      Path merged = write(all);
      files.clear();
      index(merged);
      for (Path file : old) {
        if (!file.equals(merged)) {
          Files.deleteIfExists(file);
        }
      }
    } catch (IOException | UncheckedIOException e) {
      // The small files still serve.
    }
  }

  private Path write(Map<String, Entry> entries) throws IOException {
    Path draft = Files.createTempFile(directory, "new", ".tmp");
    try {
      try (DataOutputStream out =
          new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(draft), 1 << 16))) {
        out.writeInt(MAGIC);
        out.writeInt(entries.size());
        for (Map.Entry<String, Entry> entry : entries.entrySet()) {
          writeEntry(out, entry.getKey(), entry.getValue());
        }
        out.writeInt(MAGIC);
      }
      String name = draft.getFileName().toString().replace(".tmp", SUFFIX);
      return Files.move(draft, directory.resolve(name), StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      Files.deleteIfExists(draft);
      throw e;
    }
  }

  private static void writeEntry(DataOutputStream out, String name, Entry entry)
      throws IOException {
    writeText(out, name);
    out.writeInt(entry.notes().size());
    for (String note : entry.notes()) {
      writeText(out, note);
    }
    out.writeInt(entry.bytes() == null ? -1 : entry.bytes().length);
    if (entry.bytes() != null) {
      out.write(entry.bytes());
    }
  }

  private static void writeText(DataOutputStream out, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    out.writeInt(bytes.length);
    out.write(bytes);
  }

  private void index(Path file) {
    Map<String, Slot> found = new HashMap<>();
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      ByteBuffer map = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size());
      if (map.getInt() != MAGIC) {
        return;
      }
      for (int left = map.getInt(); left > 0; left--) {
        String name = readText(map);
        List<String> notes = new ArrayList<>();
        for (int n = map.getInt(); n > 0; n--) {
          notes.add(readText(map));
        }
        int size = map.getInt();
        found.put(name, new Slot(map, map.position(), size, notes));
        map.position(map.position() + Math.max(size, 0));
      }
      if (map.getInt() != MAGIC) {
        return;
      }
    } catch (IOException | RuntimeException e) {
      // A file that another process merged away, or a damaged one: its classes are translated anew.
      return;
    }
    stored.putAll(found);
    files.add(file);
  }

  private static String readText(ByteBuffer in) {
    byte[] bytes = new byte[in.getInt()];
    in.get(bytes);
    return new String(bytes, StandardCharsets.UTF_8);
  }

  /** The bytes of a class, null if it could not be translated, and what there is to say of it. */
  record Entry(byte[] bytes, List<String> notes) {}

  private record Slot(ByteBuffer map, int offset, int size, List<String> notes) {
    Entry read() {
      byte[] bytes = null;
      if (size >= 0) {
        bytes = new byte[size];
        map.get(offset, bytes);
      }
      return new Entry(bytes, notes);
    }
  }
}
