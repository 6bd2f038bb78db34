package dev.fewtaps.twin.code;

import dev.fewtaps.twin.code.MethodModel.Instruction;
import dev.fewtaps.twin.code.MethodModel.Op;
import java.util.Set;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.IincInsnNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.LdcInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.VarInsnNode;

/**
 * Makes chosen instructions of a method tell the values that they have to do with.
 *
 * <p>An instruction that makes a value tells it afterwards, so not if it throws. One that takes a
 * value tells it before: what is stored, returned, thrown or decided upon; a comparison of two
 * values tells the first.
 */
final class ValueProbes {
  private static final Type OBJECT = Type.getObjectType("java/lang/Object");

  private final MethodModel model;
  private final String recorder;
  private final int firstBlock;
  private final int free;

  private ValueProbes(MethodModel model, String recorder, int firstBlock) {
    this.model = model;
    this.recorder = recorder;
    this.firstBlock = firstBlock;
    this.free = model.method.maxLocals;
  }

  /** Changes the method of a model, for the instructions of these numbers. */
  static void insert(
      MethodModel model, String recorder, int firstBlock, Set<Integer> instructions) {
    ValueProbes probes = new ValueProbes(model, recorder, firstBlock);
    for (int i = 0; i < model.code().size(); i++) {
      if (instructions.contains(i)) {
        probes.insert(i, model.code().get(i));
      }
    }
    model.method.maxLocals += 2; // Room for one value of any type.
  }

  private void insert(int number, Instruction instruction) {
    AbstractInsnNode node = instruction.node();
    InsnList code = new InsnList();
    Type made = made(instruction);
    if (made != null) {
      if (node instanceof IincInsnNode increment) {
        code.add(new VarInsnNode(Opcodes.ILOAD, increment.var));
        code.add(new VarInsnNode(Opcodes.ISTORE, free));
      } else {
        keep(code, made);
      }
      tell(code, number, made);
      model.method.instructions.insert(node, code);
      return;
    }
    Type taken = taken(instruction);
    if (taken != null) {
      if (instruction.op() == Op.BRANCH && Producers.operandCount(instruction) == 2) {
        code.add(new InsnNode(Opcodes.DUP2));
        code.add(new InsnNode(Opcodes.POP));
        code.add(new VarInsnNode(taken.getOpcode(Opcodes.ISTORE), free));
      } else {
        keep(code, taken);
      }
      tell(code, number, taken);
      model.method.instructions.insertBefore(node, code);
    }
  }

  private void keep(InsnList code, Type type) {
    code.add(new InsnNode(type.getSize() == 2 ? Opcodes.DUP2 : Opcodes.DUP));
    code.add(new VarInsnNode(type.getOpcode(Opcodes.ISTORE), free));
  }

  private void tell(InsnList code, int number, Type type) {
    code.add(new LdcInsnNode(firstBlock + model.blockOf(number)));
    code.add(new LdcInsnNode(number));
    code.add(new VarInsnNode(type.getOpcode(Opcodes.ILOAD), free));
    String desc =
        switch (type.getSort()) {
          case Type.OBJECT, Type.ARRAY -> "(IILjava/lang/Object;)V";
          case Type.BYTE, Type.SHORT -> "(III)V";
          default -> "(II" + type.getDescriptor() + ")V";
        };
    code.add(new MethodInsnNode(Opcodes.INVOKESTATIC, recorder, "seen", desc, false));
  }

  /** The type of the value that an instruction leaves on the stack or in its variable, or null. */
  private static Type made(Instruction instruction) {
    AbstractInsnNode node = instruction.node();
    int opcode = node.getOpcode();
    return switch (instruction.op()) {
      case CONST -> typeOf(Instructions.constant(node));
      case LOAD -> byOpcode(opcode - Opcodes.ILOAD);
      case INC, LENGTH, COMPARE -> Type.INT_TYPE;
      case GETFIELD, GETSTATIC -> Type.getType(((FieldInsnNode) node).desc);
      case ARRAYLOAD -> element(opcode - Opcodes.IALOAD);
      case NEW, NEWARRAY, CAST -> OBJECT;
      case INSTANCEOF -> Type.BOOLEAN_TYPE;
      case MATH -> opcode >= Opcodes.ISHL ? bits(opcode) : byOpcode((opcode - Opcodes.IADD) % 4);
      case CONVERT -> converted(opcode);
      case CALL -> {
        Type result = Type.getReturnType(MethodModel.descOf(node));
        yield result == Type.VOID_TYPE ? null : result;
      }
      default -> null;
    };
  }

  /** The type of the value that is told before an instruction takes it, or null. */
  private Type taken(Instruction instruction) {
    int opcode = instruction.node().getOpcode();
    return switch (instruction.op()) {
      case STORE -> byOpcode(opcode - Opcodes.ISTORE);
      case PUTFIELD, PUTSTATIC -> Type.getType(((FieldInsnNode) instruction.node()).desc);
      case ARRAYSTORE -> element(opcode - Opcodes.IASTORE);
      case RETURN -> opcode == Opcodes.RETURN ? null : Type.getReturnType(model.method.desc);
      case THROW, MONITOR -> OBJECT;
      case SWITCH -> Type.INT_TYPE;
      case BRANCH ->
          switch (opcode) {
            case Opcodes.IFNULL, Opcodes.IFNONNULL, Opcodes.IF_ACMPEQ, Opcodes.IF_ACMPNE -> OBJECT;
            default -> Type.INT_TYPE;
          };
      default -> null;
    };
  }

  private static Type typeOf(Object constant) {
    if (constant instanceof Integer) {
      return Type.INT_TYPE;
    } else if (constant instanceof Long) {
      return Type.LONG_TYPE;
    } else if (constant instanceof Float) {
      return Type.FLOAT_TYPE;
    }
    return constant instanceof Double ? Type.DOUBLE_TYPE : OBJECT;
  }

  /** The order in which the JVM numbers instructions of the same kind for different types. */
  private static Type byOpcode(int offset) {
    return switch (offset) {
      case 0 -> Type.INT_TYPE;
      case 1 -> Type.LONG_TYPE;
      case 2 -> Type.FLOAT_TYPE;
      case 3 -> Type.DOUBLE_TYPE;
      default -> OBJECT;
    };
  }

  private static Type element(int offset) {
    return switch (offset) {
      case 5, 7 -> Type.INT_TYPE;
      case 6 -> Type.CHAR_TYPE;
      default -> byOpcode(offset);
    };
  }

  private static Type bits(int opcode) {
    return (opcode - Opcodes.ISHL) % 2 == 0 ? Type.INT_TYPE : Type.LONG_TYPE;
  }

  private static Type converted(int opcode) {
    return switch (opcode) {
      case Opcodes.I2L, Opcodes.F2L, Opcodes.D2L -> Type.LONG_TYPE;
      case Opcodes.I2F, Opcodes.L2F, Opcodes.D2F -> Type.FLOAT_TYPE;
      case Opcodes.I2D, Opcodes.L2D, Opcodes.F2D -> Type.DOUBLE_TYPE;
      case Opcodes.I2C -> Type.CHAR_TYPE;
      default -> Type.INT_TYPE;
    };
  }
}
