package dev.fewtaps.twin.world;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Makes JPEG pictures of coloured squares of 8 by 8 pixels, the same bytes everywhere.
 *
 * <p>Each block of such a picture is one colour, so that its only coefficient is the first one, and
 * the Huffman table for the others has one word. A picture of 4000 by 3000 pixels has 420 KB.
 */
public final class MosaicJpeg {
  private static final int BLOCK = 8;
  private static final int COMPONENTS = 3;

  /** Eight times a level is the first coefficient of a block; divided by 8 it is the level. */
  private static final int QUANTUM = 8;

  private static final int[] DC_COUNTS = {0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0};
  private static final int[] DC_CODES = {0, 2, 3, 4, 5, 6, 14, 30, 62, 126, 254, 510};
  private static final int[] DC_LENGTHS = {2, 3, 3, 3, 3, 3, 4, 5, 6, 7, 8, 9};

  private final ByteArrayOutputStream out = new ByteArrayOutputStream(4096);
  private int buffered;
  private int bufferedBits;

  private MosaicJpeg() {}

  /**
   * Returns a picture whose colours follow from {@code seed}.
   *
   * @param orientation as in EXIF: 1 is upright, 6 is to be turned clockwise
   */
  public static byte[] make(int width, int height, int orientation, int seed) {
    return new MosaicJpeg().encode(width, height, orientation, seed);
  }

  private byte[] encode(int width, int height, int orientation, int seed) {
    bytes(0xff, 0xd8);
    exif(orientation);
    bytes(0xff, 0xdb, 0, 67, 0);
    for (int i = 0; i < 64; i++) {
      bytes(QUANTUM);
    }
    bytes(0xff, 0xc0, 0, 17, 8, height >> 8, height, width >> 8, width, COMPONENTS);
    for (int i = 1; i <= COMPONENTS; i++) {
      bytes(i, 0x11, 0);
    }
    bytes(0xff, 0xc4, 0, 31, 0x00);
    bytes(DC_COUNTS);
    for (int i = 0; i < DC_CODES.length; i++) {
      bytes(i);
    }
    // The word "no more coefficients", of one bit.
    bytes(0xff, 0xc4, 0, 20, 0x10, 1);
    bytes(new int[15]);
    bytes(0);
    bytes(0xff, 0xda, 0, 12, COMPONENTS);
    for (int i = 1; i <= COMPONENTS; i++) {
      bytes(i, 0);
    }
    bytes(0, 63, 0);
    blocks((width + BLOCK - 1) / BLOCK, (height + BLOCK - 1) / BLOCK, seed);
    bytes(0xff, 0xd9);
    return out.toByteArray();
  }

  private void blocks(int columns, int rows, int seed) {
    int[] before = new int[COMPONENTS];
    for (int y = 0; y < rows; y++) {
      for (int x = 0; x < columns; x++) {
        int mixed = seed * 31 + x * 200 / columns + y * 120 / rows;
        int[] levels = {
          mixed % 200 - 100, (mixed / 3 + seed * 17) % 120 - 60, seed * 53 % 120 - 60
        };
        for (int i = 0; i < COMPONENTS; i++) {
          difference(levels[i] - before[i]);
          before[i] = levels[i];
        }
      }
    }
    while (bufferedBits % 8 != 0) {
      bits(1, 1);
    }
  }

  private void difference(int value) {
    int size = 32 - Integer.numberOfLeadingZeros(Math.abs(value));
    bits(DC_CODES[size], DC_LENGTHS[size]);
    bits(value < 0 ? value + (1 << size) - 1 : value, size);
    bits(0, 1);
  }

  private void bits(int value, int count) {
    buffered = buffered << count | value & ((1 << count) - 1);
    bufferedBits += count;
    while (bufferedBits >= 8) {
      bufferedBits -= 8;
      int octet = buffered >> bufferedBits & 0xff;
      out.write(octet);
      if (octet == 0xff) {
        out.write(0);
      }
    }
  }

  /** The camera's note on the picture: how it was held, and when it was taken. */
  private void exif(int orientation) {
    bytes(0xff, 0xe1, 0, 8 + 8 + 2 + 2 * 12 + 4 + 20);
    text("Exif\0\0");
    text("MM");
    bytes(0, 42, 0, 0, 0, 8, 0, 2);
    bytes(0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0);
    bytes(0x01, 0x32, 0, 2, 0, 0, 0, 20, 0, 0, 0, 38);
    bytes(0, 0, 0, 0);
    text("2026:01:01 12:00:00\0");
  }

  private void text(String value) {
    out.writeBytes(value.getBytes(StandardCharsets.US_ASCII));
  }

  private void bytes(int... values) {
    for (int value : values) {
      out.write(value);
    }
  }
}
