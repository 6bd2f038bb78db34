package dev.fewtaps.twin.world;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.Set;
import java.util.TreeSet;

/** Lists folders in an order that does not depend on the host. */
final class Folders {
  private Folders() {}

  static DirectoryStream<Path> sorted(DirectoryStream<Path> entries) throws IOException {
    Set<Path> all = new TreeSet<>();
    try (entries) {
      entries.forEach(all::add);
    }
    return new DirectoryStream<>() {
      @Override
      public Iterator<Path> iterator() {
        return all.iterator();
      }

      @Override
      public void close() {}
    };
  }
}
