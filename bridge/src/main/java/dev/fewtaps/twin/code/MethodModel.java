package dev.fewtaps.twin.code;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.InvokeDynamicInsnNode;
import org.objectweb.asm.tree.JumpInsnNode;
import org.objectweb.asm.tree.LabelNode;
import org.objectweb.asm.tree.LineNumberNode;
import org.objectweb.asm.tree.LookupSwitchInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.TableSwitchInsnNode;
import org.objectweb.asm.tree.TryCatchBlockNode;

/**
 * One method as a recording sees it: its instructions, its blocks, and the words that each
 * execution of an instruction writes.
 *
 * <p>Instructions that only arrange the operand stack are none of the model's. Blocks are cut at
 * jump targets and handlers, after jumps and calls, at the ends of try ranges, and so that a block
 * has at most one instruction that can throw without words of its own, with none before it that can
 * throw at all. In methods that code outside may call, a return without words has a block of its
 * own if something before it could throw, which tells a frame that returned from one that was left.
 */
final class MethodModel {
  /** The successor of a block that ends the method. */
  static final int RETURNS = -1;

  /** Producers from this number down are exceptions that arrive at a block. */
  static final int FIRST_CAUGHT = -100_000;

  /** Instructions times variables above which the analysis of a method would take too much room. */
  private static final int LARGEST_ANALYSIS = 6_000_000;

  /** Stands for the type of a receiver, of which the identity alone is told. */
  private static final Type RECEIVER = Type.getObjectType("this");

  private static final Set<String> TYPES_WITH_VALUE =
      Set.of(
          "java/lang/String",
          "java/lang/CharSequence",
          "java/lang/Object",
          "java/lang/Number",
          "java/lang/Comparable",
          "java/lang/Integer",
          "java/lang/Long",
          "java/lang/Short",
          "java/lang/Byte",
          "java/lang/Character",
          "java/lang/Boolean",
          "java/lang/Float",
          "java/lang/Double");

  final ClassNode owner;
  final MethodNode method;

  /** Whether code outside the recorded classes may call the method. */
  final boolean outside;

  /** Why the method writes no words, or null if it does. */
  private String opaque;

  private final RecordedTypes types;
  private final List<Instruction> code = new ArrayList<>();
  private final List<Block> blocks = new ArrayList<>();

  private MethodModel(RecordedTypes types, ClassNode owner, MethodNode method, boolean outside) {
    this.types = types;
    this.owner = owner;
    this.method = method;
    this.outside = outside;
  }

  /** An instruction that the model has; {@code before} and {@code after} are its words. */
  record Instruction(
      AbstractInsnNode node, Op op, int line, String before, String after, boolean beyond) {}

  /** What an instruction does; the protocol has the names in lower case without underscores. */
  enum Op {
    CONST,
    LOAD,
    STORE,
    INC,
    GETFIELD,
    PUTFIELD,
    GETSTATIC,
    PUTSTATIC,
    ARRAYLOAD,
    ARRAYSTORE,
    LENGTH,
    CALL,
    NEW,
    NEWARRAY,
    MATH,
    CONVERT,
    COMPARE,
    BRANCH,
    SWITCH,
    GOTO,
    RETURN,
    THROW,
    CAST,
    INSTANCEOF,
    MONITOR
  }

  /** Instructions {@code first} to {@code last}, both included; an empty block has last < first. */
  static final class Block {
    /** The bytecode instruction before which the block begins; null if it has none. */
    final AbstractInsnNode start;

    /** The call that returns when the block begins, or null. */
    final Instruction returned;

    /** Whether an exception arrives here. */
    final boolean handler;

    final int first;
    int last;
    final List<Integer> successors = new ArrayList<>();
    final Set<Integer> handlers = new LinkedHashSet<>();

    private final int firstReal;

    Block(AbstractInsnNode start, int firstReal, int first, Instruction returned, boolean handler) {
      this.start = start;
      this.firstReal = firstReal;
      this.first = first;
      this.returned = returned;
      this.handler = handler;
    }
  }

  /** Models a method that has code. */
  static MethodModel of(
      RecordedTypes types, ClassNode owner, MethodNode method, Set<String> lambdaBodies) {
    boolean outside =
        types.isCalledFromOutside(owner.name, method.access, method.name, method.desc)
            || lambdaBodies.contains(method.name + method.desc);
    MethodModel model = new MethodModel(types, owner, method, outside);
    model.build();
    return model;
  }

  /** The methods of a class that its own invokedynamic instructions name, by name and desc. */
  static Set<String> lambdaBodies(ClassNode owner) {
    Set<String> bodies = new HashSet<>();
    for (MethodNode method : owner.methods) {
      for (AbstractInsnNode node : method.instructions) {
        if (node instanceof InvokeDynamicInsnNode dynamic) {
          for (Object argument : dynamic.bsmArgs) {
            if (argument instanceof Handle handle && handle.getOwner().equals(owner.name)) {
              bodies.add(handle.getName() + handle.getDesc());
            }
          }
        }
      }
    }
    return bodies;
  }

  String key() {
    return method.name + method.desc;
  }

  String opaque() {
    return opaque;
  }

  /** Says that the method writes no words. */
  void setOpaque(String reason) {
    opaque = reason;
    code.clear();
    blocks.clear();
  }

  List<Instruction> code() {
    return code;
  }

  List<Block> blocks() {
    return blocks;
  }

  /** The block to which an instruction belongs. */
  int blockOf(int instruction) {
    int low = 0;
    for (int high = blocks.size() - 1; low < high; ) {
      int middle = (low + high) >>> 1;
      if (blocks.get(middle).last < instruction) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  boolean isStatic() {
    return (method.access & Opcodes.ACC_STATIC) != 0;
  }

  boolean isConstructor() {
    return method.name.equals("<init>");
  }

  /** The types of the objects and values that are told when code outside calls the method. */
  List<Type> entryTypes() {
    List<Type> told = new ArrayList<>();
    if (outside) {
      if (!isStatic() && !isConstructor()) {
        told.add(RECEIVER);
      }
      told.addAll(List.of(Type.getArgumentTypes(method.desc)));
    }
    return told;
  }

  /** The words of a value: a letter each. */
  static String words(Type type) {
    return switch (type.getSort()) {
      case Type.OBJECT -> TYPES_WITH_VALUE.contains(type.getInternalName()) ? "ov" : "o";
      case Type.ARRAY -> "o";
      case Type.LONG -> "v";
      case Type.VOID, Type.FLOAT, Type.DOUBLE -> "";
      default -> "n";
    };
  }

  private static String words(Iterable<Type> types) {
    StringBuilder letters = new StringBuilder();
    for (Type type : types) {
      letters.append(words(type));
    }
    return letters.toString();
  }

  private void build() {
    List<AbstractInsnNode> reals = new ArrayList<>();
    int[] realAt = new int[method.instructions.size()];
    int position = 0;
    for (AbstractInsnNode node : method.instructions) {
      realAt[position++] = reals.size();
      if (node.getOpcode() >= 0) {
        reals.add(node);
      }
    }
    opaque = reasonAgainst(reals);
    if (opaque != null) {
      return;
    }
    Cuts cuts = new Cuts(reals, realAt);
    opaque = cuts.find();
    if (opaque != null) {
      return;
    }
    new Cutter(reals, cuts).run();
    if (opaque != null) {
      setOpaque(opaque);
    }
  }

  private String reasonAgainst(List<AbstractInsnNode> reals) {
    if (reals.isEmpty()) {
      return "it has no code";
    }
    for (AbstractInsnNode node : reals) {
      if (node.getOpcode() == Opcodes.JSR || node.getOpcode() == Opcodes.RET) {
        return "it has subroutines";
      }
    }
    long variables = (long) method.maxLocals + method.maxStack;
    return method.instructions.size() * variables > LARGEST_ANALYSIS ? "it is too large" : null;
  }

  /** Where blocks begin because of jumps, calls and try ranges. */
  private final class Cuts {
    private final List<AbstractInsnNode> reals;
    private final int[] realAt;
    private final boolean[] target;
    private final boolean[] handler;
    private final boolean[] other;

    Cuts(List<AbstractInsnNode> reals, int[] realAt) {
      this.reals = reals;
      this.realAt = realAt;
      this.target = new boolean[reals.size() + 1];
      this.handler = new boolean[reals.size() + 1];
      this.other = new boolean[reals.size() + 1];
    }

    int at(LabelNode label) {
      return realAt[method.instructions.indexOf(label)];
    }

    /** Marks the cuts; returns why there can be none, or null. */
    String find() {
      for (int i = 0; i < reals.size(); i++) {
        AbstractInsnNode node = reals.get(i);
        for (LabelNode label : targets(node)) {
          target[at(label)] = true;
        }
        if (isCall(node) || !fallsThrough(node) || node instanceof JumpInsnNode) {
          other[i + 1] = true;
        }
      }
      for (TryCatchBlockNode range : method.tryCatchBlocks) {
        other[at(range.start)] = true;
        other[at(range.end)] = true;
        handler[at(range.handler)] = true;
      }
      if (target[reals.size()] || handler[reals.size()]) {
        return "it jumps past its end";
      }
      if (fallsThrough(reals.get(reals.size() - 1))) {
        return "it runs past its end";
      }
      for (int i = 0; i < reals.size(); i++) {
        if (handler[i] && (target[i] || i == 0 || fallsThrough(reals.get(i - 1)))) {
          return "a handler of it is also reached without an exception";
        }
      }
      return null;
    }
  }

  /** Makes instructions and blocks. */
  private final class Cutter {
    private final List<AbstractInsnNode> reals;
    private final Cuts cuts;
    private final int[] blockAt;

    Cutter(List<AbstractInsnNode> reals, Cuts cuts) {
      this.reals = reals;
      this.cuts = cuts;
      this.blockAt = new int[reals.size()];
    }

    void run() {
      if (cuts.target[0]) {
        blocks.add(new Block(null, 0, 0, null, false));
      }
      boolean risky = false;
      boolean loads = false;
      Instruction lastCall = null;
      int line = 0;
      AbstractInsnNode node = method.instructions.getFirst();
      for (int i = 0; i < reals.size(); i++) {
        for (; node != reals.get(i); node = node.getNext()) {
          line = node instanceof LineNumberNode number ? number.line : line;
        }
        node = node.getNext();
        Instruction instruction = model(reals.get(i), line);
        boolean silent = instruction != null && isSilentThrower(instruction);
        boolean leads = i == 0 || cuts.target[i] || cuts.handler[i] || cuts.other[i];
        boolean ends =
            instruction != null && instruction.op == Op.RETURN && endsSilently(instruction);
        if (leads || silent && risky || ends && (risky || loads)) {
          if (lastCall != null && cuts.target[i] && !lastCall.after.isEmpty()) {
            blocks.add(new Block(null, i, code.size(), lastCall, false));
            lastCall = null;
          }
          Block block = new Block(reals.get(i), i, code.size(), lastCall, cuts.handler[i]);
          blockAt[i] = blocks.size();
          blocks.add(block);
          risky = false;
          loads = false;
        }
        lastCall = null;
        if (instruction != null) {
          code.add(instruction);
          risky |= silent || throwsWithWords(instruction);
          loads |= loadsClass(instruction);
          lastCall = instruction.op == Op.CALL ? instruction : null;
        }
      }
      link();
    }

    private void link() {
      for (int b = 0; b < blocks.size(); b++) {
        Block block = blocks.get(b);
        Block next = b + 1 < blocks.size() ? blocks.get(b + 1) : null;
        block.last = (next == null ? code.size() : next.first) - 1;
        if (block.start == null) {
          block.successors.add(b + 1);
          continue;
        }
        int end = next == null ? reals.size() : next.firstReal;
        AbstractInsnNode lastNode = reals.get(end - 1);
        if (isReturn(lastNode)) {
          block.successors.add(RETURNS);
        } else if (fallsThrough(lastNode)) {
          block.successors.add(b + 1);
        }
        for (LabelNode label : targets(lastNode)) {
          block.successors.add(blockAt[cuts.at(label)]);
        }
        for (TryCatchBlockNode range : method.tryCatchBlocks) {
          if (cuts.at(range.start) <= block.firstReal && block.firstReal < cuts.at(range.end)) {
            block.handlers.add(blockAt[cuts.at(range.handler)]);
          }
        }
      }
    }
  }

  private static List<LabelNode> targets(AbstractInsnNode node) {
    List<LabelNode> labels = new ArrayList<>();
    if (node instanceof JumpInsnNode jump) {
      labels.add(jump.label);
    } else if (node instanceof TableSwitchInsnNode table) {
      labels.add(table.dflt);
      labels.addAll(table.labels);
    } else if (node instanceof LookupSwitchInsnNode lookup) {
      labels.add(lookup.dflt);
      labels.addAll(lookup.labels);
    }
    return labels;
  }

  private static boolean fallsThrough(AbstractInsnNode node) {
    return switch (node.getOpcode()) {
      case Opcodes.GOTO, Opcodes.ATHROW, Opcodes.TABLESWITCH, Opcodes.LOOKUPSWITCH -> false;
      default -> !isReturn(node);
    };
  }

  private static boolean isReturn(AbstractInsnNode node) {
    return node.getOpcode() >= Opcodes.IRETURN && node.getOpcode() <= Opcodes.RETURN;
  }

  private static boolean isCall(AbstractInsnNode node) {
    return node instanceof MethodInsnNode || node instanceof InvokeDynamicInsnNode;
  }

  private static boolean throwsWithWords(Instruction instruction) {
    return switch (instruction.op) {
      case GETFIELD, PUTFIELD, ARRAYLOAD, ARRAYSTORE, LENGTH -> true;
      case MONITOR -> !instruction.before.isEmpty();
      default -> false;
    };
  }

  private static boolean loadsClass(Instruction instruction) {
    return switch (instruction.op) {
      case NEW, GETSTATIC, PUTSTATIC -> true;
      default -> false;
    };
  }

  /**
   * Whether nothing is written between a return and what the caller does next: code outside writes
   * no block when a call returns, so an exception after this block could be that code's too.
   */
  private boolean endsSilently(Instruction instruction) {
    return outside && instruction.before.isEmpty();
  }

  private static boolean isSilentThrower(Instruction instruction) {
    return switch (instruction.op) {
      case CAST, THROW, NEWARRAY -> true;
      case CALL -> instruction.before.isEmpty();
      case MATH ->
          switch (instruction.node.getOpcode()) {
            case Opcodes.IDIV, Opcodes.IREM, Opcodes.LDIV, Opcodes.LREM -> true;
            default -> false;
          };
      default -> false;
    };
  }

  /** Returns the model's form of an instruction, or null for one that it looks through. */
  private Instruction model(AbstractInsnNode node, int line) {
    Op op = opOf(node.getOpcode());
    if (op == null) {
      return null;
    }
    String before = "";
    String after = "";
    boolean beyond = false;
    switch (op) {
      case GETFIELD, PUTFIELD, LENGTH -> before = "o";
      case ARRAYLOAD, ARRAYSTORE -> before = "on";
      case MONITOR -> before = node.getOpcode() == Opcodes.MONITORENTER ? "o" : "";
      case NEW, NEWARRAY -> after = "o";
      case RETURN -> {
        Type result = Type.getReturnType(method.desc);
        boolean isReference = node.getOpcode() == Opcodes.ARETURN;
        before = outside && isReference ? words(result) : "";
      }
      case CALL -> {
        beyond = isBeyond(node);
        if (beyond) {
          before = words(toldBefore(node));
          after = words(Type.getReturnType(descOf(node)));
        }
      }
      default -> {}
    }
    return new Instruction(node, op, line, before, after, beyond);
  }

  private boolean isBeyond(AbstractInsnNode node) {
    return !(node instanceof MethodInsnNode call)
        || types.isBeyond(call.getOpcode(), call.owner, call.name, call.desc);
  }

  /** The types of what a call beyond tells before it: its receiver and its arguments. */
  static List<Type> toldBefore(AbstractInsnNode node) {
    List<Type> told = new ArrayList<>();
    if (hasToldReceiver(node)) {
      told.add(RECEIVER);
    }
    told.addAll(List.of(Type.getArgumentTypes(descOf(node))));
    return told;
  }

  /** Whether a call has a receiver that is told; the object of a constructor is not. */
  static boolean hasToldReceiver(AbstractInsnNode node) {
    return node instanceof MethodInsnNode call
        && call.getOpcode() != Opcodes.INVOKESTATIC
        && !call.name.equals("<init>");
  }

  static String descOf(AbstractInsnNode node) {
    return node instanceof MethodInsnNode call ? call.desc : ((InvokeDynamicInsnNode) node).desc;
  }

  /** The class that has the field of an instruction, by internal name. */
  String fieldOwner(FieldInsnNode field) {
    return types.fieldOwner(field.owner, field.name, field.desc);
  }

  private static Op opOf(int opcode) {
    if (opcode >= Opcodes.ACONST_NULL && opcode <= Opcodes.LDC) {
      return Op.CONST;
    } else if (opcode >= Opcodes.ILOAD && opcode <= Opcodes.ALOAD) {
      return Op.LOAD;
    } else if (opcode >= Opcodes.IALOAD && opcode <= Opcodes.SALOAD) {
      return Op.ARRAYLOAD;
    } else if (opcode >= Opcodes.ISTORE && opcode <= Opcodes.ASTORE) {
      return Op.STORE;
    } else if (opcode >= Opcodes.IASTORE && opcode <= Opcodes.SASTORE) {
      return Op.ARRAYSTORE;
    } else if (opcode >= Opcodes.IADD && opcode <= Opcodes.LXOR) {
      return Op.MATH;
    } else if (opcode >= Opcodes.I2L && opcode <= Opcodes.I2S) {
      return Op.CONVERT;
    } else if (opcode >= Opcodes.LCMP && opcode <= Opcodes.DCMPG) {
      return Op.COMPARE;
    } else if (opcode >= Opcodes.IFEQ && opcode <= Opcodes.IF_ACMPNE) {
      return Op.BRANCH;
    } else if (opcode >= Opcodes.IRETURN && opcode <= Opcodes.RETURN) {
      return Op.RETURN;
    } else if (opcode >= Opcodes.INVOKEVIRTUAL && opcode <= Opcodes.INVOKEDYNAMIC) {
      return Op.CALL;
    }
    return switch (opcode) {
      case Opcodes.IINC -> Op.INC;
      case Opcodes.GOTO -> Op.GOTO;
      case Opcodes.TABLESWITCH, Opcodes.LOOKUPSWITCH -> Op.SWITCH;
      case Opcodes.GETSTATIC -> Op.GETSTATIC;
      case Opcodes.PUTSTATIC -> Op.PUTSTATIC;
      case Opcodes.GETFIELD -> Op.GETFIELD;
      case Opcodes.PUTFIELD -> Op.PUTFIELD;
      case Opcodes.NEW -> Op.NEW;
      case Opcodes.NEWARRAY, Opcodes.ANEWARRAY, Opcodes.MULTIANEWARRAY -> Op.NEWARRAY;
      case Opcodes.ARRAYLENGTH -> Op.LENGTH;
      case Opcodes.ATHROW -> Op.THROW;
      case Opcodes.CHECKCAST -> Op.CAST;
      case Opcodes.INSTANCEOF -> Op.INSTANCEOF;
      case Opcodes.MONITORENTER, Opcodes.MONITOREXIT -> Op.MONITOR;
      case Opcodes.IFNULL, Opcodes.IFNONNULL -> Op.BRANCH;
      default -> null;
    };
  }
}
