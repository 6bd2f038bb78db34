package dev.fewtaps.twin.code;

import dev.fewtaps.twin.code.MethodModel.Block;
import dev.fewtaps.twin.code.MethodModel.Instruction;
import dev.fewtaps.twin.code.MethodModel.Op;
import java.util.List;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.LabelNode;
import org.objectweb.asm.tree.LdcInsnNode;
import org.objectweb.asm.tree.LineNumberNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.TryCatchBlockNode;
import org.objectweb.asm.tree.VarInsnNode;

/**
 * Puts the calls of the recorder into one method, exactly as its model says.
 *
 * <p>Around the whole body comes a handler that tells that the frame ends by an exception. If the
 * stack has no room to tell it, the handler counts it in the recorder's field {@code missed},
 * without a call, and clears the field {@code writer}, so that the recorder looks at the count. No
 * jump backwards is added.
 */
final class RecordingProbes {
  private static final String OBJECT = "(Ljava/lang/Object;)V";

  private final MethodModel model;
  private final MethodNode method;
  private final String recorder;
  private final int firstBlock;

  /** The first local variable that the method itself does not use. */
  private final int free;

  private int usedLocals;

  private RecordingProbes(MethodModel model, String recorder, int firstBlock) {
    this.model = model;
    this.method = model.method;
    this.recorder = recorder;
    this.firstBlock = firstBlock;
    this.free = method.maxLocals;
    this.usedLocals = method.maxLocals;
  }

  /**
   * Changes the method of a model.
   *
   * @param recorder internal name of the class that is called
   * @param firstBlock the number of the method's first block
   */
  static void insert(MethodModel model, String recorder, int firstBlock) {
    if (model.opaque() == null) {
      new RecordingProbes(model, recorder, firstBlock).insert();
    }
  }

  private void insert() {
    for (int b = 1; b < model.blocks().size(); b++) {
      Block block = model.blocks().get(b);
      if (block.start == null) {
        method.instructions.insert(block.returned.node(), beginning(b, block));
      } else {
        method.instructions.insertBefore(block.start, beginning(b, block));
      }
    }
    for (Instruction instruction : model.code()) {
      method.instructions.insertBefore(instruction.node(), before(instruction));
      if (instruction.op() != Op.CALL && !instruction.after().isEmpty()) {
        InsnList after = new InsnList();
        after.add(new InsnNode(Opcodes.DUP));
        after.add(call("object", OBJECT));
        method.instructions.insert(instruction.node(), after);
      }
    }
    addEntry();
    method.maxLocals = usedLocals;
  }

  private InsnList beginning(int number, Block block) {
    InsnList words = blockWord(number);
    if (block.handler) {
      words.add(new InsnNode(Opcodes.DUP));
      words.add(call("object", OBJECT));
    } else if (block.returned != null && !block.returned.after().isEmpty()) {
      tellTop(words, Type.getReturnType(MethodModel.descOf(block.returned.node())));
    }
    return words;
  }

  private InsnList blockWord(int number) {
    InsnList words = new InsnList();
    words.add(new LdcInsnNode(firstBlock + number));
    words.add(call("block", "(I)V"));
    return words;
  }

  private InsnList before(Instruction instruction) {
    InsnList words = new InsnList();
    if (instruction.before().isEmpty()) {
      return words;
    }
    AbstractInsnNode node = instruction.node();
    switch (instruction.op()) {
      case GETFIELD, LENGTH, MONITOR -> add(words, Opcodes.DUP);
      case PUTFIELD -> {
        if (Type.getType(((FieldInsnNode) node).desc).getSize() == 1) {
          add(words, Opcodes.DUP2, Opcodes.POP);
        } else {
          add(words, Opcodes.DUP2_X1, Opcodes.POP2, Opcodes.DUP_X2);
        }
      }
      case ARRAYLOAD -> add(words, Opcodes.DUP2);
      case ARRAYSTORE -> {
        if (node.getOpcode() == Opcodes.LASTORE || node.getOpcode() == Opcodes.DASTORE) {
          add(words, Opcodes.DUP2_X2, Opcodes.POP2, Opcodes.DUP2_X2);
        } else {
          add(words, Opcodes.DUP_X2, Opcodes.POP, Opcodes.DUP2_X1);
        }
      }
      case RETURN -> tellTop(words, Type.getReturnType(method.desc));
      case CALL -> tellArguments(words, node);
      default -> throw new IllegalStateException("no words before " + instruction.op());
    }
    switch (instruction.op()) {
      case GETFIELD, LENGTH, PUTFIELD, MONITOR -> words.add(call("object", OBJECT));
      case ARRAYLOAD, ARRAYSTORE -> words.add(call("element", "(Ljava/lang/Object;I)V"));
      default -> {}
    }
    return words;
  }

  private static void add(InsnList words, int... opcodes) {
    for (int opcode : opcodes) {
      words.add(new InsnNode(opcode));
    }
  }

  /** Tells receiver and arguments of a call, which lie on the stack, and leaves them there. */
  private void tellArguments(InsnList words, AbstractInsnNode node) {
    List<Type> told = MethodModel.toldBefore(node);
    if (told.size() == 1) {
      tellTop(words, told.get(0));
      return;
    }
    boolean hasReceiver = MethodModel.hasToldReceiver(node);
    List<Type> arguments = hasReceiver ? told.subList(1, told.size()) : told;
    int slot = free;
    for (Type argument : arguments) {
      slot += argument.getSize();
    }
    usedLocals = Math.max(usedLocals, slot);
    for (int i = arguments.size() - 1; i >= 0; i--) {
      slot -= arguments.get(i).getSize();
      words.add(new VarInsnNode(arguments.get(i).getOpcode(Opcodes.ISTORE), slot));
    }
    if (hasReceiver) {
      tellTop(words, told.get(0));
    }
    for (Type argument : arguments) {
      words.add(new VarInsnNode(argument.getOpcode(Opcodes.ILOAD), slot));
      tellTop(words, argument);
      slot += argument.getSize();
    }
  }

  /** Tells the value on top of the stack, and leaves it there. */
  private void tellTop(InsnList words, Type type) {
    if (!MethodModel.words(type).isEmpty()) {
      words.add(new InsnNode(type.getSize() == 2 ? Opcodes.DUP2 : Opcodes.DUP));
      words.add(tell(type));
    }
  }

  /** The call that tells the value on top of the stack, which has words, and takes it. */
  private MethodInsnNode tell(Type type) {
    return switch (MethodModel.words(type)) {
      case "o" -> call("object", OBJECT);
      case "ov" -> call("objectAndValue", OBJECT);
      case "v" -> call("value", "(J)V");
      default -> call("number", "(I)V");
    };
  }

  private MethodInsnNode call(String name, String desc) {
    return new MethodInsnNode(Opcodes.INVOKESTATIC, recorder, name, desc, false);
  }

  /**
   * Removes line 0 from the beginning of the method: the JVM does not keep it at the first
   * instruction, but would keep it behind the probes, and show it in stack traces.
   */
  private void dropLineZero() {
    AbstractInsnNode node = method.instructions.getFirst();
    while (node != null && !(node instanceof LineNumberNode number && number.line != 0)) {
      AbstractInsnNode next = node.getNext();
      if (node instanceof LineNumberNode) {
        method.instructions.remove(node);
      }
      node = next;
    }
  }

  /** Adds the words of the entry and the handler around the rest. */
  private void addEntry() {
    dropLineZero();
    InsnList entry = new InsnList();
    LabelNode first = new LabelNode();
    entry.add(first);
    int line = model.code().isEmpty() ? 0 : model.code().get(0).line();
    if (line > 0) {
      entry.add(new LineNumberNode(line, first));
    }
    entry.add(blockWord(0));
    int local = model.isStatic() ? 0 : 1;
    if (model.outside) {
      if (local == 1 && !model.isConstructor()) {
        entry.add(new VarInsnNode(Opcodes.ALOAD, 0));
        entry.add(call("object", OBJECT));
      }
      for (Type argument : Type.getArgumentTypes(method.desc)) {
        if (!MethodModel.words(argument).isEmpty()) {
          entry.add(new VarInsnNode(argument.getOpcode(Opcodes.ILOAD), local));
          entry.add(tell(argument));
        }
        local += argument.getSize();
      }
    }
    LabelNode start = new LabelNode();
    entry.add(start);
    method.instructions.insert(entry);
    addExit(start);
  }

  private void addExit(LabelNode start) {
    LabelNode handler = new LabelNode();
    LabelNode told = new LabelNode();
    LabelNode overflow = new LabelNode();
    InsnList exit = new InsnList();
    exit.add(handler);
    exit.add(new VarInsnNode(Opcodes.ASTORE, free));
    LabelNode telling = new LabelNode();
    exit.add(telling);
    exit.add(new VarInsnNode(Opcodes.ALOAD, free));
    exit.add(call("unwound", "(Ljava/lang/Throwable;)V"));
    exit.add(told);
    exit.add(new VarInsnNode(Opcodes.ALOAD, free));
    exit.add(new InsnNode(Opcodes.ATHROW));
    exit.add(overflow);
    exit.add(new InsnNode(Opcodes.POP));
    exit.add(new FieldInsnNode(Opcodes.GETSTATIC, recorder, "missed", "I"));
    exit.add(new InsnNode(Opcodes.ICONST_1));
    exit.add(new InsnNode(Opcodes.IADD));
    exit.add(new FieldInsnNode(Opcodes.PUTSTATIC, recorder, "missed", "I"));
    exit.add(new InsnNode(Opcodes.ACONST_NULL));
    exit.add(new FieldInsnNode(Opcodes.PUTSTATIC, recorder, "writer", "Ljava/lang/Thread;"));
    exit.add(new VarInsnNode(Opcodes.ALOAD, free));
    exit.add(new InsnNode(Opcodes.ATHROW));
    method.instructions.add(exit);
    method.tryCatchBlocks.add(new TryCatchBlockNode(start, handler, handler, null));
    method.tryCatchBlocks.add(
        new TryCatchBlockNode(telling, told, overflow, "java/lang/StackOverflowError"));
    usedLocals = Math.max(usedLocals, free + 1);
  }
}
