package dev.fewtaps.twin;

import java.io.BufferedOutputStream;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Carries one JSON object per line over the process's own standard input and output.
 *
 * <p>Standard output is taken away from {@link System#out}, where the app may print.
 */
final class Channel {
  private final BufferedReader in;
  private final OutputStream out;

  private Channel(BufferedReader in, OutputStream out) {
    this.in = in;
    this.out = out;
  }

  /**
   * Takes over standard input and output; {@link System#out} prints to standard error from now on.
   */
  static Channel takeStandardStreams() {
    OutputStream out = new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), 1 << 16);
    BufferedReader in =
        new BufferedReader(
            new InputStreamReader(new FileInputStream(FileDescriptor.in), StandardCharsets.UTF_8),
            1 << 16);
    System.setOut(System.err);
    System.setIn(InputStreamOfNothing.INSTANCE);
    return new Channel(in, out);
  }

  /** Returns the next line, or null when the other side has gone. */
  String read() throws IOException {
    return in.readLine();
  }

  /** Writes one line; safe from several threads. */
  synchronized void write(String line) throws IOException {
    out.write(line.getBytes(StandardCharsets.UTF_8));
    out.write('\n');
    out.flush();
  }

  private static final class InputStreamOfNothing extends java.io.InputStream {
    static final InputStreamOfNothing INSTANCE = new InputStreamOfNothing();

    @Override
    public int read() {
      return -1;
    }
  }
}
