package dev.fewtaps.twin.code;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/** A list of jar files, each opened once for the life of the JVM. */
final class Jars {
  private static final Map<Path, ZipFile> OPEN = new ConcurrentHashMap<>();

  private final List<ZipFile> files;

  Jars(List<Path> paths) {
    files = paths.stream().map(path -> OPEN.computeIfAbsent(path, Jars::open)).toList();
  }

  /** Whether one of the jars has that file. */
  boolean has(String name) {
    return files.stream().anyMatch(file -> file.getEntry(name) != null);
  }

  /** Returns the file of that name from the first jar that has it, or null. */
  byte[] read(String name) {
    for (ZipFile file : files) {
      ZipEntry entry = file.getEntry(name);
      if (entry != null) {
        try (InputStream in = file.getInputStream(entry)) {
          return in.readAllBytes();
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
    }
    return null;
  }

  private static ZipFile open(Path path) {
    try {
      return new ZipFile(path.toFile());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
