package dev.fewtaps.twin.code;

import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.InsnNode;

/** Changes of instructions that write a field, an element or a local number. */
final class StoreChanges {
  private StoreChanges() {}

  /**
   * Drops a store: what it would have written, and where, is taken off the stack. References in
   * local variables are left alone: the object that was there before may be of any class, and the
   * JVM of the twin verifies nothing.
   */
  static InstructionChange dropped(AbstractInsnNode node) {
    int opcode = node.getOpcode();
    String description = "dropped a store";
    if (node instanceof FieldInsnNode field) {
      InsnNode value = pop(Type.getType(field.desc).getSize());
      return switch (opcode) {
        case Opcodes.PUTFIELD -> InstructionChange.of(description, value, pop(1));
        case Opcodes.PUTSTATIC -> InstructionChange.of(description, value);
        default -> null;
      };
    }
    if (opcode >= Opcodes.IASTORE && opcode <= Opcodes.SASTORE) {
      boolean wide = opcode == Opcodes.LASTORE || opcode == Opcodes.DASTORE;
      return InstructionChange.of(description, pop(wide ? 2 : 1), pop(2));
    }
    if (opcode >= Opcodes.ISTORE && opcode < Opcodes.ASTORE) {
      boolean wide = opcode == Opcodes.LSTORE || opcode == Opcodes.DSTORE;
      return InstructionChange.of(description, pop(wide ? 2 : 1));
    }
    return opcode == Opcodes.IINC
        ? InstructionChange.of(description, new InsnNode(Opcodes.NOP))
        : null;
  }

  private static InsnNode pop(int words) {
    return new InsnNode(words == 2 ? Opcodes.POP2 : Opcodes.POP);
  }
}
