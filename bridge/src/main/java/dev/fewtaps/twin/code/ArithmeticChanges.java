package dev.fewtaps.twin.code;

import java.util.Map;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.IincInsnNode;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.VarInsnNode;

/** Changes of calculations. */
final class ArithmeticChanges {
  private static final String[] TYPES = {"integer", "long", "float", "double"};

  /** The operation on int, what takes its place, and both in words. Others types lie above. */
  private record Exchange(int replacement, String from, String to) {}

  private static final Map<Integer, Exchange> EXCHANGES =
      Map.ofEntries(
          Map.entry(Opcodes.IADD, new Exchange(Opcodes.ISUB, "addition", "subtraction")),
          Map.entry(Opcodes.ISUB, new Exchange(Opcodes.IADD, "subtraction", "addition")),
          Map.entry(Opcodes.IMUL, new Exchange(Opcodes.IDIV, "multiplication", "division")),
          Map.entry(Opcodes.IDIV, new Exchange(Opcodes.IMUL, "division", "multiplication")),
          Map.entry(Opcodes.IREM, new Exchange(Opcodes.IMUL, "modulus", "multiplication")),
          Map.entry(Opcodes.ISHL, new Exchange(Opcodes.ISHR, "shift left", "shift right")),
          Map.entry(Opcodes.ISHR, new Exchange(Opcodes.ISHL, "shift right", "shift left")),
          Map.entry(
              Opcodes.IUSHR, new Exchange(Opcodes.ISHL, "unsigned shift right", "shift left")),
          Map.entry(Opcodes.IAND, new Exchange(Opcodes.IOR, "bitwise and", "bitwise or")),
          Map.entry(Opcodes.IOR, new Exchange(Opcodes.IAND, "bitwise or", "bitwise and")),
          Map.entry(Opcodes.IXOR, new Exchange(Opcodes.IAND, "bitwise xor", "bitwise and")));

  private ArithmeticChanges() {}

  /** Turns the sign of an increment of a local variable. */
  static InstructionChange increment(AbstractInsnNode node) {
    if (node instanceof IincInsnNode increment) {
      return InstructionChange.of(
          "changed increment from " + increment.incr + " to " + -increment.incr,
          new IincInsnNode(increment.var, -increment.incr));
    }
    return isIncrement(node)
        ? InstructionChange.of("changed the sign of an increment", new InsnNode(swapped(node)))
        : null;
  }

  /** DEX has no increment: it is a sum of a variable and a constant, stored where it came from. */
  private static boolean isIncrement(AbstractInsnNode node) {
    if (node.getOpcode() != Opcodes.IADD && node.getOpcode() != Opcodes.ISUB) {
      return false;
    }
    AbstractInsnNode stored = Instructions.next(node);
    AbstractInsnNode constant = Instructions.previous(node);
    AbstractInsnNode loaded = constant == null ? null : Instructions.previous(constant);
    return stored instanceof VarInsnNode to
        && loaded instanceof VarInsnNode from
        && to.getOpcode() == Opcodes.ISTORE
        && from.getOpcode() == Opcodes.ILOAD
        && to.var == from.var
        && Instructions.constant(constant) instanceof Integer;
  }

  private static int swapped(AbstractInsnNode node) {
    return node.getOpcode() == Opcodes.IADD ? Opcodes.ISUB : Opcodes.IADD;
  }

  /** Removes a minus sign. */
  static InstructionChange withoutNegation(AbstractInsnNode node) {
    int opcode = node.getOpcode();
    return opcode >= Opcodes.INEG && opcode <= Opcodes.DNEG
        ? InstructionChange.of("removed negation", new InsnNode(Opcodes.NOP))
        : null;
  }

  /** Exchanges an operation on two numbers for another. */
  static InstructionChange otherOperation(AbstractInsnNode node) {
    int opcode = node.getOpcode();
    if (opcode < Opcodes.IADD || opcode > Opcodes.LXOR || isIncrement(node)) {
      return null;
    }
    int type = typeOf(opcode);
    Exchange exchange = EXCHANGES.get(opcode - type);
    if (exchange == null) {
      return null;
    }
    return InstructionChange.of(
        "replaced " + TYPES[type] + " " + exchange.from + " with " + exchange.to,
        new InsnNode(exchange.replacement + type));
  }

  /** The place of an operation among those that do the same: of int, long, float, double. */
  private static int typeOf(int opcode) {
    // Sums to negations exist for four types, shifts and bits for two.
    return opcode < Opcodes.ISHL ? (opcode - Opcodes.IADD) % 4 : (opcode - Opcodes.ISHL) % 2;
  }
}
