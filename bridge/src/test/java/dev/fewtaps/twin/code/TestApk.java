package dev.fewtaps.twin.code;

import com.android.tools.r8.CompilationFailedException;
import com.android.tools.r8.D8;
import com.android.tools.r8.D8Command;
import com.android.tools.r8.OutputMode;
import com.android.tools.r8.origin.Origin;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** Builds small APKs out of classes of the tests. */
final class TestApk {
  private final Map<String, byte[]> files = new LinkedHashMap<>();
  private int dexCount;
  private int minApi = 26;

  /**
   * Sets the lowest Android of the DEX files that follow; what it knows by itself is left as is.
   */
  TestApk minApi(int level) {
    minApi = level;
    return this;
  }

  /** Adds one DEX file with these classes and all their inner ones must be named too. */
  TestApk dex(Class<?>... classes) throws IOException {
    byte[][] bytes = new byte[classes.length][];
    for (int i = 0; i < classes.length; i++) {
      bytes[i] = bytesOf(classes[i]);
    }
    return dex(bytes);
  }

  /** Adds one DEX file with these classes. */
  TestApk dex(byte[]... classes) throws IOException {
    Path directory = Files.createTempDirectory("dex");
    try {
      D8Command.Builder command =
          D8Command.builder()
              .setMinApiLevel(minApi)
              .setDisableDesugaring(true)
              .setOutput(directory, OutputMode.DexIndexed);
      for (byte[] bytes : classes) {
        command.addClassProgramData(bytes, Origin.unknown());
      }
      D8.run(command.build());
      String name = dexCount == 0 ? "classes.dex" : "classes" + (dexCount + 1) + ".dex";
      dexCount++;
      files.put(name, Files.readAllBytes(directory.resolve("classes.dex")));
    } catch (CompilationFailedException e) {
      throw new IOException(e);
    } finally {
      Files.deleteIfExists(directory.resolve("classes.dex"));
      Files.delete(directory);
    }
    return this;
  }

  /** Adds any file. */
  TestApk file(String name, byte[] content) {
    files.put(name, content);
    return this;
  }

  /** The content of a file added before. */
  byte[] content(String name) {
    return files.get(name);
  }

  /** Writes the APK. */
  Path write(Path path) throws IOException {
    try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(path))) {
      for (Map.Entry<String, byte[]> file : files.entrySet()) {
        zip.putNextEntry(entry(file.getKey()));
        zip.write(file.getValue());
      }
    }
    return path;
  }

  /** The class file of a class of the tests. */
  static byte[] bytesOf(Class<?> type) throws IOException {
    String path = "/" + type.getName().replace('.', '/') + ".class";
    try (InputStream in = type.getResourceAsStream(path)) {
      return in.readAllBytes();
    }
  }

  /** An entry without a time of its own, so that the same contents give the same APK. */
  private static ZipEntry entry(String name) {
    ZipEntry entry = new ZipEntry(name);
    entry.setTime(1_000_000_000_000L);
    return entry;
  }
}
