package dev.fewtaps.twin.code;

import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.LdcInsnNode;

/** Changes of numbers that stand in the code. */
final class ConstantChanges {
  private ConstantChanges() {}

  /** Exchanges a number for another. */
  static InstructionChange otherConstant(AbstractInsnNode node) {
    Object constant = Instructions.constant(node);
    if (!(constant instanceof Number number)) {
      return null;
    }
    Number other = other(number);
    return InstructionChange.of("substituted " + number + " with " + other, new LdcInsnNode(other));
  }

  private static Number other(Number number) {
    if (number instanceof Integer) {
      return other(number.intValue());
    }
    if (number instanceof Long) {
      return number.longValue() + 1;
    }
    // A sum may be the same number again where floating point numbers are large.
    if (number instanceof Float) {
      return number.floatValue() == 1 ? 2f : 1f;
    }
    return number.doubleValue() == 1 ? 2d : 1d;
  }

  /** The successor, within the range of the smallest type that holds the number; 1 becomes 0. */
  private static int other(int number) {
    return switch (number) {
      case 1 -> 0;
      case Byte.MAX_VALUE -> Byte.MIN_VALUE;
      case Short.MAX_VALUE -> Short.MIN_VALUE;
      default -> number + 1;
    };
  }
}
