package dev.fewtaps.twin.inside;

import android.graphics.Bitmap;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.CRC32;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;

/**
 * Writes opaque bitmaps as PNG, quickly: Android's own way tries five filters for each row, which
 * takes longer than the event before the picture.
 *
 * <p>Each row is the difference to the one above, as screens have many equal rows.
 */
final class PngWriter {
  private static final byte[] SIGNATURE = {(byte) 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  private static final int STRIP = 64;
  private static final byte UP = 2;

  private PngWriter() {}

  /** The bytes of a PNG file in true colour. */
  static byte[] write(Bitmap bitmap) throws IOException {
    ByteArrayOutputStream file = new ByteArrayOutputStream(1 << 16);
    DataOutputStream out = new DataOutputStream(file);
    out.write(SIGNATURE);
    ByteArrayOutputStream header = new ByteArrayOutputStream();
    DataOutputStream fields = new DataOutputStream(header);
    fields.writeInt(bitmap.getWidth());
    fields.writeInt(bitmap.getHeight());
    fields.write(new byte[] {8, 2, 0, 0, 0});
    writeChunk("IHDR", header.toByteArray(), out);
    writeChunk("IDAT", rows(bitmap), out);
    writeChunk("IEND", new byte[0], out);
    return file.toByteArray();
  }

  private static byte[] rows(Bitmap bitmap) throws IOException {
    int width = bitmap.getWidth();
    int height = bitmap.getHeight();
    ByteArrayOutputStream packed = new ByteArrayOutputStream(1 << 16);
    Deflater deflater = new Deflater(Deflater.BEST_SPEED);
    try (DeflaterOutputStream out = new DeflaterOutputStream(packed, deflater, 1 << 14)) {
      int[] above = new int[width];
      int[] pixels = new int[width * STRIP];
      byte[] line = new byte[1 + 3 * width];
      byte[] same = new byte[1 + 3 * width];
      line[0] = UP;
      same[0] = UP;
      for (int top = 0; top < height; top += STRIP) {
        int count = Math.min(STRIP, height - top);
        bitmap.getPixels(pixels, 0, width, 0, top, width, count);
        for (int row = 0; row < count; row++) {
          int first = row * width;
          if (Arrays.equals(pixels, first, first + width, above, 0, width)) {
            out.write(same);
          } else {
            fill(line, pixels, first, above);
            out.write(line);
            System.arraycopy(pixels, first, above, 0, width);
          }
        }
      }
    } finally {
      deflater.end();
    }
    return packed.toByteArray();
  }

  private static void fill(byte[] line, int[] pixels, int first, int[] above) {
    for (int column = 0, at = 1; column < above.length; column++) {
      int now = pixels[first + column];
      int before = above[column];
      line[at++] = (byte) ((now >> 16) - (before >> 16));
      line[at++] = (byte) ((now >> 8) - (before >> 8));
      line[at++] = (byte) (now - before);
    }
  }

  private static void writeChunk(String name, byte[] data, DataOutputStream out)
      throws IOException {
    byte[] type = name.getBytes(StandardCharsets.US_ASCII);
    CRC32 check = new CRC32();
    check.update(type);
    check.update(data);
    out.writeInt(data.length);
    out.write(type);
    out.write(data);
    out.writeInt((int) check.getValue());
  }
}
