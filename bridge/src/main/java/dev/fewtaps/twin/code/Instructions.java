package dev.fewtaps.twin.code;

import java.util.Locale;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.IincInsnNode;
import org.objectweb.asm.tree.IntInsnNode;
import org.objectweb.asm.tree.LabelNode;
import org.objectweb.asm.tree.LdcInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.VarInsnNode;
import org.objectweb.asm.util.Printer;

/** Questions about the instructions of a method. */
final class Instructions {
  private Instructions() {}

  /** The instruction right before this one, or null if there is none or a label between them. */
  static AbstractInsnNode previous(AbstractInsnNode node) {
    AbstractInsnNode before = node.getPrevious();
    while (before != null && before.getOpcode() < 0) {
      before = before instanceof LabelNode ? null : before.getPrevious();
    }
    return before;
  }

  /** The instruction right after this one, or null if there is none or a label between them. */
  static AbstractInsnNode next(AbstractInsnNode node) {
    AbstractInsnNode after = node.getNext();
    while (after != null && after.getOpcode() < 0) {
      after = after instanceof LabelNode ? null : after.getNext();
    }
    return after;
  }

  /**
   * The number or text that an instruction puts on the stack, or null if it does something else.
   */
  static Object constant(AbstractInsnNode node) {
    int opcode = node.getOpcode();
    if (node instanceof LdcInsnNode load) {
      return load.cst;
    }
    if (opcode == Opcodes.BIPUSH || opcode == Opcodes.SIPUSH) {
      return ((IntInsnNode) node).operand;
    }
    if (opcode >= Opcodes.ICONST_M1 && opcode <= Opcodes.ICONST_5) {
      return opcode - Opcodes.ICONST_0;
    }
    return switch (opcode) {
      case Opcodes.LCONST_0, Opcodes.LCONST_1 -> (long) (opcode - Opcodes.LCONST_0);
      case Opcodes.FCONST_0, Opcodes.FCONST_1, Opcodes.FCONST_2 ->
          (float) (opcode - Opcodes.FCONST_0);
      case Opcodes.DCONST_0, Opcodes.DCONST_1 -> (double) (opcode - Opcodes.DCONST_0);
      default -> null;
    };
  }

  /** An instruction in words, for a report on code without sources. */
  static String describe(AbstractInsnNode node) {
    String mnemonic = Printer.OPCODES[node.getOpcode()].toLowerCase(Locale.ROOT);
    if (node instanceof MethodInsnNode call) {
      return mnemonic + " " + dotted(call.owner) + "." + call.name + parameters(call.desc);
    }
    if (node instanceof FieldInsnNode field) {
      return mnemonic + " " + dotted(field.owner) + "." + field.name;
    }
    if (node instanceof IincInsnNode increment) {
      return mnemonic + " " + increment.var + " by " + increment.incr;
    }
    if (node instanceof VarInsnNode variable) {
      return mnemonic + " " + variable.var;
    }
    Object constant = constant(node);
    return constant instanceof Number ? "constant " + constant : mnemonic;
  }

  private static String dotted(String owner) {
    return Type.getObjectType(owner).getClassName();
  }

  private static String parameters(String desc) {
    StringBuilder text = new StringBuilder("(");
    for (Type type : Type.getArgumentTypes(desc)) {
      String name = type.getClassName();
      text.append(text.length() == 1 ? "" : ", ").append(name.substring(name.lastIndexOf('.') + 1));
    }
    return text.append(')').toString();
  }
}
