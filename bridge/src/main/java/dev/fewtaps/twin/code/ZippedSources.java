package dev.fewtaps.twin.code;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.jacoco.report.InputStreamSourceFileLocator;

/**
 * Source files in a ZIP file, each in the folder of its package; counts what was looked for and
 * found.
 */
public final class ZippedSources extends InputStreamSourceFileLocator implements Closeable {
  private static final int TAB_WIDTH = 4;

  private final ZipFile zip;
  private int wanted;
  private int found;

  public ZippedSources(Path file) throws IOException {
    super(StandardCharsets.UTF_8.name(), TAB_WIDTH);
    zip = new ZipFile(file.toFile());
  }

  @Override
  protected InputStream getSourceStream(String path) throws IOException {
    wanted++;
    ZipEntry entry = zip.getEntry(path.startsWith("/") ? path.substring(1) : path);
    if (entry == null) {
      return null;
    }
    found++;
    return zip.getInputStream(entry);
  }

  /** How many files were looked for. */
  public int wanted() {
    return wanted;
  }

  /** How many of them were there. */
  public int found() {
    return found;
  }

  @Override
  public void close() throws IOException {
    zip.close();
  }
}
