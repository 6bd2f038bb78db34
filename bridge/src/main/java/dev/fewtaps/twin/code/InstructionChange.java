package dev.fewtaps.twin.code;

import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.InsnList;

/**
 * What a mutation operator does to one instruction.
 *
 * @param description says in words what the change is
 * @param replacement the instructions that take the place of the one
 */
record InstructionChange(String description, InsnList replacement) {

  /** A change whose replacement is these instructions, in order. */
  static InstructionChange of(String description, AbstractInsnNode... replacement) {
    InsnList list = new InsnList();
    for (AbstractInsnNode node : replacement) {
      list.add(node);
    }
    return new InstructionChange(description, list);
  }
}
