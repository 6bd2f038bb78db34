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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * The numbers of everything coverable; the same for an APK on every machine.
 *
 * <p>Branches and methods belong to a class. A line belongs to a source file: classes that share a
 * line share its number, so that lines count as in JaCoCo's reports.
 */
final class CoverageIndex {
  private static final int MAGIC = 0x46544932;

  /** The lines, branches and methods of one class; {@code source} tells apart the source files. */
  private record Content(int branches, int methods, String source, int[] lines) {}

  private final List<String> names;
  private final Map<String, Integer> positions = new HashMap<>();
  private final int[] firstBranch;
  private final int[] firstMethod;
  private final int[] sourceOf;
  private final List<int[]> linesOfSource;
  private final int[] firstLine;

  private CoverageIndex(List<String> names, Content[] contents) {
    this.names = names;
    firstBranch = new int[contents.length + 1];
    firstMethod = new int[contents.length + 1];
    sourceOf = new int[contents.length];
    Map<String, Integer> sources = new HashMap<>();
    List<List<int[]>> parts = new ArrayList<>();
    for (int i = 0; i < contents.length; i++) {
      positions.put(names.get(i), i);
      firstBranch[i + 1] = firstBranch[i] + contents[i].branches;
      firstMethod[i + 1] = firstMethod[i] + contents[i].methods;
      sourceOf[i] = sources.computeIfAbsent(contents[i].source, key -> sources.size());
      if (sourceOf[i] == parts.size()) {
        parts.add(new ArrayList<>());
      }
      parts.get(sourceOf[i]).add(contents[i].lines);
    }
    linesOfSource = parts.stream().map(CoverageIndex::union).toList();
    firstLine = new int[linesOfSource.size() + 1];
    for (int i = 0; i < linesOfSource.size(); i++) {
      firstLine[i + 1] = firstLine[i] + linesOfSource.get(i).length;
    }
  }

  private static int[] union(List<int[]> parts) {
    return parts.size() == 1
        ? parts.get(0)
        : parts.stream().flatMapToInt(Arrays::stream).sorted().distinct().toArray();
  }

  /** Reads the index from {@code file}, or analyses all classes and keeps the result there. */
  static CoverageIndex load(AppCode code, List<String> sortedNames, Path file) {
    Content[] contents = read(file, sortedNames);
    if (contents == null) {
      Content[] fresh = new Content[sortedNames.size()];
      IntStream.range(0, fresh.length)
          .parallel()
          .forEach(i -> fresh[i] = contentOf(code, sortedNames.get(i)));
      contents = fresh;
      write(file, sortedNames, contents);
    }
    return new CoverageIndex(sortedNames, contents);
  }

  private static Content contentOf(AppCode code, String name) {
    byte[] bytes = code.bytes(name);
    if (bytes == null) {
      return new Content(0, 0, name, new int[0]);
    }
    ClassModel model = ClassModel.of(bytes);
    int[] lines = model.lines().stream().mapToInt(ClassModel.Place::line).toArray();
    // No class is named like a package with a slash and a file.
    String source =
        model.file() == null
            ? name
            : name.substring(0, name.lastIndexOf('.') + 1) + "/" + model.file();
    return new Content(model.branches().size(), model.methods().size(), source, lines);
  }

  private static Content[] read(Path file, List<String> names) {
    if (!Files.exists(file)) {
      return null;
    }
    try (InputStream raw = Files.newInputStream(file);
        DataInputStream in = new DataInputStream(new BufferedInputStream(raw, 1 << 16))) {
      if (in.readInt() != MAGIC || in.readInt() != names.size()) {
        return null;
      }
      Content[] contents = new Content[names.size()];
      for (int i = 0; i < contents.length; i++) {
        if (in.readInt() != names.get(i).hashCode()) {
          return null;
        }
        contents[i] = new Content(in.readInt(), in.readInt(), in.readUTF(), readNumbers(in));
      }
      return in.readInt() == MAGIC ? contents : null;
    } catch (IOException e) {
      return null;
    }
  }

  private static int[] readNumbers(DataInputStream in) throws IOException {
    int[] numbers = new int[in.readUnsignedShort()];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = in.readUnsignedShort();
    }
    return numbers;
  }

  private static void write(Path file, List<String> names, Content[] contents) {
    try {
      Files.createDirectories(file.getParent());
      Path draft = Files.createTempFile(file.getParent(), "index", ".tmp");
      try {
        try (DataOutputStream out =
            new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(draft), 1 << 16))) {
          out.writeInt(MAGIC);
          out.writeInt(names.size());
          for (int i = 0; i < contents.length; i++) {
            out.writeInt(names.get(i).hashCode());
            write(contents[i], out);
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

  private static void write(Content content, DataOutputStream out) throws IOException {
    out.writeInt(content.branches);
    out.writeInt(content.methods);
    out.writeUTF(content.source);
    // Line numbers of class files have 16 bits, and so there are no more of them.
    out.writeShort(content.lines.length);
    for (int line : content.lines) {
      out.writeShort(line);
    }
  }

  /** All classes, in the order of their numbers. */
  List<String> names() {
    return names;
  }

  /** The number of a class's first branch; the others follow. */
  int firstBranch(String name) {
    return firstBranch[positions.get(name)];
  }

  /** The number of a class's first method; the others follow. */
  int firstMethod(String name) {
    return firstMethod[positions.get(name)];
  }

  /** The number of a line of a class's source file, which has to be one with code. */
  int line(String name, int line) {
    int source = sourceOf[positions.get(name)];
    return firstLine[source] + Arrays.binarySearch(linesOfSource.get(source), line);
  }

  /** How many branches, lines and methods there are in all. */
  int[] totals() {
    return new int[] {
      firstBranch[names.size()], firstLine[linesOfSource.size()], firstMethod[names.size()]
    };
  }
}
