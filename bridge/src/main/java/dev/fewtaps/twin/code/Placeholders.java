package dev.fewtaps.twin.code;

import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Set;
import java.util.function.IntUnaryOperator;

/** Numbers in the constant pool of a class file that stand for others until it is loaded. */
final class Placeholders {
  /** A class has fewer constants than this, so no range of placeholders is longer. */
  private static final int RANGE = 1 << 16;

  private static final int FIRST_CONSTANT = 10;

  private Placeholders() {}

  /** Returns the start of a range of numbers none of which is a constant of the class. */
  static int choose(byte[] classFile, int first) {
    Set<Integer> taken = new HashSet<>();
    change(
        classFile,
        number -> {
          taken.add(Math.floorDiv(number, RANGE));
          return number;
        });
    int range = Math.floorDiv(first, RANGE);
    while (taken.contains(range)) {
      range++;
    }
    return range * RANGE;
  }

  /** Exchanges {@code count} numbers from {@code first} on for those from {@code real} on. */
  static void replace(byte[] classFile, int first, int count, int real) {
    change(
        classFile,
        number -> number >= first && number < first + count ? number - first + real : number);
  }

  /** Passes every int in the constant pool through a function. */
  private static void change(byte[] classFile, IntUnaryOperator function) {
    ByteBuffer file = ByteBuffer.wrap(classFile);
    int count = Short.toUnsignedInt(file.getShort(8));
    int at = FIRST_CONSTANT;
    for (int i = 1; i < count; i++) {
      int tag = file.get(at);
      switch (tag) {
        case 1 -> at += 3 + Short.toUnsignedInt(file.getShort(at + 1));
        case 3 -> {
          file.putInt(at + 1, function.applyAsInt(file.getInt(at + 1)));
          at += 5;
        }
        case 5, 6 -> { // A long or double counts as two constants.
          at += 9;
          i++;
        }
        case 15 -> at += 4;
        case 7, 8, 16, 19, 20 -> at += 3;
        default -> at += 5;
      }
    }
  }
}
