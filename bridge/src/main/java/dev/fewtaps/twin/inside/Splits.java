package dev.fewtaps.twin.inside;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/** The splits of an app that came in pieces, which lie in its APK as files of their own. */
final class Splits {
  private static final String FOLDER = "fewtaps/splits/";

  private Splits() {}

  /** Unpacks the splits of an APK into a folder and returns their paths; most APKs have none. */
  static List<Path> unpack(Path apk, Path folder) throws IOException {
    List<Path> paths = new ArrayList<>();
    try (ZipFile zip = new ZipFile(apk.toFile())) {
      for (Enumeration<? extends ZipEntry> all = zip.entries(); all.hasMoreElements(); ) {
        ZipEntry entry = all.nextElement();
        if (!entry.getName().matches(FOLDER + "\\d{3}\\.apk")) {
          continue;
        }
        Files.createDirectories(folder);
        Path path = folder.resolve(entry.getName().substring(FOLDER.length()));
        try (InputStream in = zip.getInputStream(entry)) {
          Files.copy(in, path, StandardCopyOption.REPLACE_EXISTING);
        }
        paths.add(path);
      }
    }
    paths.sort(null);
    return paths;
  }
}
