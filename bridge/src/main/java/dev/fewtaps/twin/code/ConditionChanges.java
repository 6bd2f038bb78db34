package dev.fewtaps.twin.code;

import java.util.Map;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.JumpInsnNode;

/** Changes of conditional jumps. Each keeps the jump's target. */
final class ConditionChanges {
  private static final Map<Integer, Integer> BOUNDARY =
      Map.of(
          Opcodes.IFLT, Opcodes.IFLE,
          Opcodes.IFLE, Opcodes.IFLT,
          Opcodes.IFGT, Opcodes.IFGE,
          Opcodes.IFGE, Opcodes.IFGT,
          Opcodes.IF_ICMPLT, Opcodes.IF_ICMPLE,
          Opcodes.IF_ICMPLE, Opcodes.IF_ICMPLT,
          Opcodes.IF_ICMPGT, Opcodes.IF_ICMPGE,
          Opcodes.IF_ICMPGE, Opcodes.IF_ICMPGT);

  private static final Map<Integer, Integer> OPPOSITE =
      Map.ofEntries(
          Map.entry(Opcodes.IFEQ, Opcodes.IFNE),
          Map.entry(Opcodes.IFNE, Opcodes.IFEQ),
          Map.entry(Opcodes.IFLT, Opcodes.IFGE),
          Map.entry(Opcodes.IFGE, Opcodes.IFLT),
          Map.entry(Opcodes.IFGT, Opcodes.IFLE),
          Map.entry(Opcodes.IFLE, Opcodes.IFGT),
          Map.entry(Opcodes.IFNULL, Opcodes.IFNONNULL),
          Map.entry(Opcodes.IFNONNULL, Opcodes.IFNULL),
          Map.entry(Opcodes.IF_ICMPEQ, Opcodes.IF_ICMPNE),
          Map.entry(Opcodes.IF_ICMPNE, Opcodes.IF_ICMPEQ),
          Map.entry(Opcodes.IF_ICMPLT, Opcodes.IF_ICMPGE),
          Map.entry(Opcodes.IF_ICMPGE, Opcodes.IF_ICMPLT),
          Map.entry(Opcodes.IF_ICMPGT, Opcodes.IF_ICMPLE),
          Map.entry(Opcodes.IF_ICMPLE, Opcodes.IF_ICMPGT),
          Map.entry(Opcodes.IF_ACMPEQ, Opcodes.IF_ACMPNE),
          Map.entry(Opcodes.IF_ACMPNE, Opcodes.IF_ACMPEQ));

  private ConditionChanges() {}

  /** Makes {@code <} of {@code <=} and the like. */
  static InstructionChange boundary(AbstractInsnNode node) {
    Integer opcode = BOUNDARY.get(node.getOpcode());
    return opcode == null ? null : jump(node, opcode, "changed conditional boundary");
  }

  /** Makes {@code ==} of {@code !=} and the like. */
  static InstructionChange negated(AbstractInsnNode node) {
    Integer opcode = OPPOSITE.get(node.getOpcode());
    return opcode == null ? null : jump(node, opcode, "negated conditional");
  }

  private static InstructionChange jump(AbstractInsnNode node, int opcode, String description) {
    return InstructionChange.of(description, new JumpInsnNode(opcode, ((JumpInsnNode) node).label));
  }

  /**
   * Makes the outcome of a condition constant.
   *
   * @param equality whether equalities are changed, else orders
   * @param result the outcome; a compiler jumps over the guarded statements if it is false
   */
  static InstructionChange removed(AbstractInsnNode node, boolean equality, boolean result) {
    if (!OPPOSITE.containsKey(node.getOpcode()) || isEquality(node) != equality) {
      return null;
    }
    String kind = equality ? "equality" : "comparison";
    String description = "removed conditional: replaced " + kind + " check with " + result;
    AbstractInsnNode pop = new InsnNode(operands(node) == 2 ? Opcodes.POP2 : Opcodes.POP);
    return result
        ? InstructionChange.of(description, pop)
        : InstructionChange.of(
            description, pop, new JumpInsnNode(Opcodes.GOTO, ((JumpInsnNode) node).label));
  }

  private static boolean isEquality(AbstractInsnNode node) {
    return !BOUNDARY.containsKey(node.getOpcode());
  }

  private static int operands(AbstractInsnNode node) {
    int opcode = node.getOpcode();
    return opcode >= Opcodes.IF_ICMPEQ && opcode <= Opcodes.IF_ACMPNE ? 2 : 1;
  }
}
