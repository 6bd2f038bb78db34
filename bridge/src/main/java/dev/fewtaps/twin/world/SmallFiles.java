package dev.fewtaps.twin.world;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;

/** Makes small files of the common kinds, valid and the same bytes everywhere. */
public final class SmallFiles {
  /** Bytes of a frame of MPEG audio, layer 3, at 128 kbit/s and 44.1 kHz. */
  private static final int FRAME_BYTES = 417;

  private static final int FRAMES_PER_SECOND = 38;
  private static final int SAMPLES_PER_SECOND = 8000;

  private SmallFiles() {}

  /** A picture without compression, with a transparent border. */
  public static byte[] png(int width, int height, int seed) {
    return written(
        out -> {
          out.write(new byte[] {(byte) 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'});
          chunk(
              out,
              "IHDR",
              written(
                  head -> {
                    head.writeInt(width);
                    head.writeInt(height);
                    head.write(new byte[] {8, 6, 0, 0, 0});
                  }));
          chunk(out, "IDAT", pixels(width, height, seed));
          chunk(out, "IEND", new byte[0]);
        });
  }

  private static byte[] pixels(int width, int height, int seed) {
    return written(
        out -> {
          // Uncompressed, because compressed bytes depend on the version of the library.
          DeflaterOutputStream lines =
              new DeflaterOutputStream(out, new Deflater(Deflater.NO_COMPRESSION));
          for (int y = 0; y < height; y++) {
            lines.write(0);
            for (int x = 0; x < width; x++) {
              boolean isBorder = x < 4 || y < 4 || x >= width - 4 || y >= height - 4;
              lines.write(x * 255 / width);
              lines.write(y * 255 / height);
              lines.write(seed * 50);
              lines.write(isBorder ? 0 : 255);
            }
          }
          lines.finish();
        });
  }

  private static void chunk(DataOutputStream out, String type, byte[] data) throws IOException {
    byte[] name = ascii(type);
    out.writeInt(data.length);
    out.write(name);
    out.write(data);
    CRC32 sum = new CRC32();
    sum.update(name);
    sum.update(data);
    out.writeInt((int) sum.getValue());
  }

  /** Silence in MPEG frames, with a tag if there is a title. */
  public static byte[] mp3(int seconds, String title, String artist, String album) {
    return written(
        out -> {
          if (title != null) {
            byte[] frames =
                written(
                    tag -> {
                      tagFrame(tag, "TIT2", title);
                      tagFrame(tag, "TPE1", artist);
                      tagFrame(tag, "TALB", album);
                    });
            int size = frames.length;
            out.write(ascii("ID3"));
            out.write(new byte[] {3, 0, 0});
            for (int shift = 21; shift >= 0; shift -= 7) {
              out.write(size >> shift & 0x7f);
            }
            out.write(frames);
          }
          byte[] frame = new byte[FRAME_BYTES];
          frame[0] = (byte) 0xff;
          frame[1] = (byte) 0xfb;
          frame[2] = (byte) 0x90;
          frame[3] = 0x64;
          for (int i = 0; i < seconds * FRAMES_PER_SECOND; i++) {
            out.write(frame);
          }
        });
  }

  private static void tagFrame(DataOutputStream out, String name, String value) throws IOException {
    byte[] text = value.getBytes(StandardCharsets.UTF_16);
    out.write(ascii(name));
    out.writeInt(text.length + 1);
    out.write(new byte[] {0, 0, 1});
    out.write(text);
  }

  /** Silence of so many seconds, uncompressed. */
  public static byte[] wav(int seconds) {
    int length = seconds * SAMPLES_PER_SECOND;
    return written(
        out -> {
          out.write(ascii("RIFF"));
          out.writeInt(Integer.reverseBytes(36 + length));
          out.write(ascii("WAVEfmt "));
          out.writeInt(Integer.reverseBytes(16));
          out.write(new byte[] {1, 0, 1, 0});
          out.writeInt(Integer.reverseBytes(SAMPLES_PER_SECOND));
          out.writeInt(Integer.reverseBytes(SAMPLES_PER_SECOND));
          out.write(new byte[] {1, 0, 8, 0});
          out.write(ascii("data"));
          out.writeInt(Integer.reverseBytes(length));
          byte[] silence = new byte[length];
          java.util.Arrays.fill(silence, (byte) 0x80);
          out.write(silence);
        });
  }

  /** A film that lasts so long and has no picture. */
  public static byte[] mp4(int millis) {
    return written(
        out -> {
          box(out, "ftyp", ascii("isom\0\0\0\1isommp42"));
          byte[] header =
              written(
                  head -> {
                    head.write(new byte[12]);
                    head.writeInt(1000);
                    head.writeInt(millis);
                    head.writeInt(0x10000);
                    head.writeShort(0x100);
                    head.write(new byte[10]);
                    for (int value : new int[] {0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000}) {
                      head.writeInt(value);
                    }
                    head.write(new byte[24]);
                    head.writeInt(1);
                  });
          box(out, "moov", written(movie -> box(movie, "mvhd", header)));
          box(out, "mdat", new byte[256]);
        });
  }

  private static void box(DataOutputStream out, String type, byte[] data) throws IOException {
    out.writeInt(8 + data.length);
    out.write(ascii(type));
    out.write(data);
  }

  /** A document of one page with one line. */
  public static byte[] pdf(String line) {
    String stream = "BT /F1 24 Tf 72 720 Td (" + line + ") Tj ET";
    String[] objects = {
      "<< /Type /Catalog /Pages 2 0 R >>",
      "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
      "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R"
          + " /Resources << /Font << /F1 5 0 R >> >> >>",
      "<< /Length " + stream.length() + " >>\nstream\n" + stream + "\nendstream",
      "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    };
    StringBuilder text = new StringBuilder("%PDF-1.4\n");
    StringBuilder table = new StringBuilder("0000000000 65535 f \n");
    for (int i = 0; i < objects.length; i++) {
      table.append(String.format("%010d 00000 n \n", text.length()));
      text.append(i + 1).append(" 0 obj\n").append(objects[i]).append("\nendobj\n");
    }
    int start = text.length();
    text.append("xref\n0 6\n").append(table).append("trailer\n<< /Size 6 /Root 1 0 R >>\n");
    text.append("startxref\n").append(start).append("\n%%EOF\n");
    return ascii(text.toString());
  }

  private interface Writer {
    void write(DataOutputStream out) throws IOException;
  }

  private static byte[] written(Writer writer) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try {
      writer.write(new DataOutputStream(bytes));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }
}
