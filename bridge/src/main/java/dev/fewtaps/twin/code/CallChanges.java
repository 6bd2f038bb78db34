package dev.fewtaps.twin.code;

import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.MethodInsnNode;

/** Changes of method calls. */
final class CallChanges {
  private CallChanges() {}

  /** Removes a call of a method that returns nothing; its receiver and arguments are dropped. */
  static InstructionChange removed(AbstractInsnNode node) {
    if (!(node instanceof MethodInsnNode call)
        || call.name.equals("<init>")
        || Type.getReturnType(call.desc) != Type.VOID_TYPE) {
      return null;
    }
    InsnList drops = new InsnList();
    Type[] arguments = Type.getArgumentTypes(call.desc);
    for (int i = arguments.length - 1; i >= 0; i--) {
      drops.add(new InsnNode(arguments[i].getSize() == 2 ? Opcodes.POP2 : Opcodes.POP));
    }
    if (call.getOpcode() != Opcodes.INVOKESTATIC) {
      drops.add(new InsnNode(Opcodes.POP));
    }
    if (drops.size() == 0) {
      drops.add(new InsnNode(Opcodes.NOP));
    }
    String owner = Type.getObjectType(call.owner).getClassName();
    return new InstructionChange("removed call to " + owner + "::" + call.name, drops);
  }
}
