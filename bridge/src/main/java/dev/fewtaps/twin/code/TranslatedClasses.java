package dev.fewtaps.twin.code;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.Deflater;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;

/**
 * What a process keeps of an APK on disk, as one file for the next process with the same APK: its
 * classes need not be translated again.
 */
public final class TranslatedClasses {
  private static final long MOST_BYTES = 96L << 20;

  private TranslatedClasses() {}

  /** Packs the files below a directory; an empty array if they are too large to be handed on. */
  public static byte[] pack(Path directory) throws IOException {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    long size = 0;
    try (ZipOutputStream out = new ZipOutputStream(packed)) {
      out.setLevel(Deflater.BEST_SPEED);
      for (Path file : filesBelow(directory)) {
        size += Files.size(file);
        if (size > MOST_BYTES) {
          return new byte[0];
        }
        out.putNextEntry(new ZipEntry(directory.relativize(file).toString()));
        Files.copy(file, out);
        out.closeEntry();
      }
    }
    return packed.toByteArray();
  }

  private static List<Path> filesBelow(Path directory) throws IOException {
    try (Stream<Path> found = Files.walk(directory)) {
      return found
          .filter(Files::isRegularFile)
          .filter(file -> !file.toString().endsWith(".tmp"))
          .sorted()
          .toList();
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  /** Unpacks into a directory that does not exist yet; what lies outside of it is left out. */
  public static void unpack(Path packed, Path directory) throws IOException {
    if (Files.exists(directory)) {
      return;
    }
    Path root = directory.toAbsolutePath().normalize();
    try (InputStream file = Files.newInputStream(packed);
        ZipInputStream in = new ZipInputStream(file)) {
      for (ZipEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
        Path target = root.resolve(entry.getName()).normalize();
        if (target.startsWith(root) && !target.equals(root)) {
          Files.createDirectories(target.getParent());
          Files.copy(in, target);
        }
      }
    }
  }
}
