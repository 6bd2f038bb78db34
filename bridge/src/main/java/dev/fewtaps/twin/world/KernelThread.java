package dev.fewtaps.twin.world;

import java.io.FileInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A thread as the operating system sees it, where it tells, which is on Linux.
 *
 * <p>Java says of a thread that was woken that it waits, until it has the processor again. The
 * kernel knows better, and on a busy machine the difference is long.
 */
final class KernelThread {
  /** One of which nothing is known. */
  static final KernelThread UNKNOWN = new KernelThread(null);

  private static final Path SELF = Path.of("/proc/thread-self");

  private final String file;

  private KernelThread(String file) {
    this.file = file;
  }

  /** The calling thread. */
  static KernelThread ofThisThread() {
    try {
      return new KernelThread(
          "/proc/self/task/" + Files.readSymbolicLink(SELF).getFileName() + "/stat");
    } catch (IOException | RuntimeException e) {
      return UNKNOWN;
    }
  }

  /**
   * Whether it runs or waits for nothing but the processor; false where the system does not tell.
   */
  boolean wantsProcessor() {
    if (file == null) {
      return false;
    }
    // Not by a channel, which an interruption of the looking thread would close.
    try (FileInputStream in = new FileInputStream(file)) {
      byte[] head = in.readNBytes(64);
      String text = new String(head, StandardCharsets.ISO_8859_1);
      return text.startsWith(
          "R", text.lastIndexOf(')') + 2); // The name before it may have any characters.
    } catch (IOException e) {
      return false;
    }
  }
}
