package dev.fewtaps.twin.code;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** Where the numbers of each class begin; the same for an APK on every machine. */
final class CoverageIndex {
  private static final int MAGIC = 0x46544931;

  private final List<String> names;
  private final int[][] starts;
  private final Map<String, Integer> positions = new HashMap<>();

  /** Takes the classes in order, and for each how many branches, lines and methods it has. */
  private CoverageIndex(List<String> names, int[][] counts) {
    this.names = names;
    this.starts = new int[names.size() + 1][];
    starts[0] = new int[3];
    for (int i = 0; i < counts.length; i++) {
      positions.put(names.get(i), i);
      starts[i + 1] = new int[3];
      for (int kind = 0; kind < 3; kind++) {
        starts[i + 1][kind] = starts[i][kind] + counts[i][kind];
      }
    }
  }

  /** Reads the index from {@code file}, or analyses all classes and keeps the result there. */
  static CoverageIndex load(AppCode code, List<String> sortedNames, Path file) {
    int[][] counts = read(file, sortedNames);
    if (counts == null) {
      int[][] fresh = new int[sortedNames.size()][];
      IntStream.range(0, fresh.length)
          .parallel()
          .forEach(i -> fresh[i] = count(code, sortedNames.get(i)));
      counts = fresh;
      write(file, sortedNames, counts);
    }
    return new CoverageIndex(sortedNames, counts);
  }

  private static int[] count(AppCode code, String name) {
    byte[] bytes = code.bytes(name);
    if (bytes == null) {
      return new int[3];
    }
    ClassModel model = ClassModel.of(bytes);
    return new int[] {model.branches().size(), model.lines().size(), model.methods().size()};
  }

  private static int[][] read(Path file, List<String> names) {
    if (!Files.exists(file)) {
      return null;
    }
    try (InputStream raw = Files.newInputStream(file);
        DataInputStream in = new DataInputStream(new BufferedInputStream(raw, 1 << 16))) {
      if (in.readInt() != MAGIC || in.readInt() != names.size()) {
        return null;
      }
      int[][] counts = new int[names.size()][3];
      for (int i = 0; i < counts.length; i++) {
        if (in.readInt() != names.get(i).hashCode()) {
          return null;
        }
        for (int kind = 0; kind < 3; kind++) {
          counts[i][kind] = in.readInt();
        }
      }
      return in.readInt() == MAGIC ? counts : null;
    } catch (IOException e) {
      return null;
    }
  }

  private static void write(Path file, List<String> names, int[][] counts) {
    try {
      Files.createDirectories(file.getParent());
      Path draft = Files.createTempFile(file.getParent(), "index", ".tmp");
      try {
        try (DataOutputStream out =
            new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(draft), 1 << 16))) {
          out.writeInt(MAGIC);
          out.writeInt(names.size());
          for (int i = 0; i < counts.length; i++) {
            out.writeInt(names.get(i).hashCode());
            for (int count : counts[i]) {
              out.writeInt(count);
            }
          }
          out.writeInt(MAGIC);
        }
        Files.move(
            draft, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      } finally {
        Files.deleteIfExists(draft);
      }
    } catch (IOException e) {
      // Without a place to keep it, the next process counts again.
    }
  }

  /** All classes, in the order of their numbers. */
  List<String> names() {
    return names;
  }

  /** The first numbers of a class's branches, lines and methods. */
  int[] start(String name) {
    return starts[positions.get(name)];
  }

  /** How many branches, lines and methods there are in all. */
  int[] totals() {
    return Arrays.copyOf(starts[names.size()], 3);
  }
}
