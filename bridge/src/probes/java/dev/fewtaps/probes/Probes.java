package dev.fewtaps.probes;

import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/**
 * Counts which probes of an instrumented app were hit.
 *
 * <p>The hits are a mapped file of the app, so that they outlive its process. All processes of the
 * app share it, and a process that begins goes on with what is there.
 */
public final class Probes {
  private static final ByteBuffer HITS;

  /** What was hit before this process began. */
  private static final byte[] EARLIER;

  static {
    HITS = open();
    EARLIER = packed();
    Listener.begin();
  }

  private Probes() {}

  /** Called by the app's code: it has come to this probe. */
  public static void hit(int probe) {
    HITS.put(probe, (byte) 1);
  }

  /** All hits so far, a bit for each probe, the lowest first. */
  public static byte[] packed() {
    byte[] bits = new byte[(Limits.count + 7) / 8];
    for (int i = 0; i < Limits.count; i++) {
      if (HITS.get(i) != 0) {
        bits[i >> 3] |= (byte) (1 << (i & 7));
      }
    }
    return bits;
  }

  /** The hits of processes before this one, as {@link #packed}. */
  static byte[] earlier() {
    return EARLIER;
  }

  private static ByteBuffer open() {
    File folder = new File("/data/data/" + Limits.app, "code_cache");
    try {
      folder.mkdirs();
      RandomAccessFile file = new RandomAccessFile(new File(folder, "fewtaps-probes"), "rw");
      try {
        return file.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, Limits.count);
      } finally {
        file.close();
      }
    } catch (IOException e) {
      return ByteBuffer.allocate(Limits.count);
    } catch (RuntimeException e) {
      // No file: hits are lost with the process.
      return ByteBuffer.allocate(Limits.count);
    }
  }
}
