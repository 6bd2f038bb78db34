package dev.fewtaps.twin.code;

import dev.fewtaps.twin.code.MethodModel.Instruction;
import dev.fewtaps.twin.code.MethodModel.Op;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.IincInsnNode;
import org.objectweb.asm.tree.LdcInsnNode;
import org.objectweb.asm.tree.MultiANewArrayInsnNode;
import org.objectweb.asm.tree.TryCatchBlockNode;
import org.objectweb.asm.tree.VarInsnNode;
import org.objectweb.asm.tree.analysis.Analyzer;
import org.objectweb.asm.tree.analysis.AnalyzerException;
import org.objectweb.asm.tree.analysis.Frame;
import org.objectweb.asm.tree.analysis.Interpreter;
import org.objectweb.asm.tree.analysis.Value;

/**
 * Finds, for each operand of each instruction of a method, the instructions that may have produced
 * it. Loads and stores of local variables are producers; what only arranges the stack is not.
 */
final class Producers {
  private static final int[] NONE = {};

  private final MethodModel model;
  private final Map<AbstractInsnNode, Integer> numbers = new IdentityHashMap<>();
  private final Map<AbstractInsnNode, Integer> handlerBlocks = new IdentityHashMap<>();

  private Producers(MethodModel model) {
    this.model = model;
    for (int i = 0; i < model.code().size(); i++) {
      numbers.put(model.code().get(i).node(), i);
    }
    for (int b = 0; b < model.blocks().size(); b++) {
      if (model.blocks().get(b).handler) {
        handlerBlocks.put(model.blocks().get(b).start, b);
      }
    }
  }

  /** Returns the producers by instruction and operand; none where the code cannot be analysed. */
  static int[][][] of(MethodModel model) {
    Producers producers = new Producers(model);
    int[][][] found = new int[model.code().size()][][];
    Frame<Origin>[] frames;
    try {
      frames = new Analyzer<>(producers.new Origins()).analyze(model.owner.name, model.method);
    } catch (AnalyzerException | RuntimeException e) {
      frames = null; // The JVM runs what no verifier would accept.
    }
    for (int i = 0; i < found.length; i++) {
      Instruction instruction = model.code().get(i);
      int position = model.method.instructions.indexOf(instruction.node());
      found[i] = operands(instruction, frames == null ? null : frames[position]);
    }
    return found;
  }

  private static int[][] operands(Instruction instruction, Frame<Origin> frame) {
    AbstractInsnNode node = instruction.node();
    int count = operandCount(instruction);
    int[][] operands = new int[count][];
    Arrays.fill(operands, NONE);
    if (frame == null) {
      return operands;
    }
    if (node instanceof VarInsnNode variable && instruction.op() == Op.LOAD) {
      operands[0] = frame.getLocal(variable.var).producers;
    } else if (node instanceof IincInsnNode increment) {
      operands[0] = frame.getLocal(increment.var).producers;
    } else {
      int bottom = frame.getStackSize() - count;
      for (int k = 0; k < count && bottom >= 0; k++) {
        operands[k] = frame.getStack(bottom + k).producers;
      }
    }
    return operands;
  }

  /** How many values an instruction takes, from the stack or from a local variable. */
  static int operandCount(Instruction instruction) {
    AbstractInsnNode node = instruction.node();
    int opcode = node.getOpcode();
    return switch (instruction.op()) {
      case CONST, GETSTATIC, NEW, GOTO -> 0;
      case LOAD,
          STORE,
          INC,
          GETFIELD,
          PUTSTATIC,
          LENGTH,
          CONVERT,
          SWITCH,
          THROW,
          CAST,
          INSTANCEOF,
          MONITOR ->
          1;
      case PUTFIELD, ARRAYLOAD, COMPARE -> 2;
      case ARRAYSTORE -> 3;
      case CALL ->
          Type.getArgumentTypes(MethodModel.descOf(node)).length
              + (opcode == Opcodes.INVOKESTATIC || opcode == Opcodes.INVOKEDYNAMIC ? 0 : 1);
      case NEWARRAY -> node instanceof MultiANewArrayInsnNode many ? many.dims : 1;
      case MATH -> opcode >= Opcodes.INEG && opcode <= Opcodes.DNEG ? 1 : 2;
      case BRANCH -> opcode >= Opcodes.IF_ICMPEQ && opcode <= Opcodes.IF_ACMPNE ? 2 : 1;
      case RETURN -> opcode == Opcodes.RETURN ? 0 : 1;
    };
  }

  /** A value on the stack or in a variable, told by the instructions that may have made it. */
  private static final class Origin implements Value {
    private final int size;
    private final int[] producers;

    Origin(int size, int... producers) {
      this.size = size;
      this.producers = producers;
    }

    @Override
    public int getSize() {
      return size;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Origin origin
          && size == origin.size
          && Arrays.equals(producers, origin.producers);
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(producers) * 31 + size;
    }

    Origin with(Origin other) {
      boolean has = true;
      for (int producer : other.producers) {
        has &= Arrays.binarySearch(producers, producer) >= 0;
      }
      if (has && size <= other.size) {
        return this;
      }
      int[] both =
          IntStream.concat(Arrays.stream(producers), Arrays.stream(other.producers))
              .sorted()
              .distinct()
              .toArray();
      return new Origin(Math.min(size, other.size), both);
    }
  }

  /** Follows the values through a method. */
  private final class Origins extends Interpreter<Origin> {
    private final int[] parameterOfLocal;

    Origins() {
      super(Opcodes.ASM9);
      Type[] arguments = Type.getArgumentTypes(model.method.desc);
      int slots = Type.getArgumentsAndReturnSizes(model.method.desc) >> 2;
      parameterOfLocal = new int[slots + 1];
      int local = model.isStatic() ? 0 : 1;
      int parameter = local;
      for (Type argument : arguments) {
        parameterOfLocal[local] = parameter++;
        local += argument.getSize();
      }
    }

    private Origin made(int size, AbstractInsnNode node) {
      return new Origin(size, numbers.get(node));
    }

    @Override
    public Origin newValue(Type type) {
      return type == Type.VOID_TYPE ? null : new Origin(type == null ? 1 : type.getSize());
    }

    @Override
    public Origin newParameterValue(boolean isInstance, int local, Type type) {
      return new Origin(type.getSize(), -1 - parameterOfLocal[local]);
    }

    @Override
    public Origin newExceptionValue(
        TryCatchBlockNode range, Frame<Origin> frame, Type exceptionType) {
      AbstractInsnNode start = range.handler;
      while (start.getOpcode() < 0) {
        start = start.getNext();
      }
      return new Origin(1, MethodModel.FIRST_CAUGHT - handlerBlocks.get(start));
    }

    @Override
    public Origin newOperation(AbstractInsnNode node) {
      int size =
          switch (node.getOpcode()) {
            case Opcodes.LCONST_0, Opcodes.LCONST_1, Opcodes.DCONST_0, Opcodes.DCONST_1 -> 2;
            case Opcodes.LDC -> {
              Object value = ((LdcInsnNode) node).cst;
              yield value instanceof Long || value instanceof Double ? 2 : 1;
            }
            case Opcodes.GETSTATIC -> Type.getType(((FieldInsnNode) node).desc).getSize();
            default -> 1;
          };
      return made(size, node);
    }

    @Override
    public Origin copyOperation(AbstractInsnNode node, Origin value) {
      return node instanceof VarInsnNode ? made(value.size, node) : value;
    }

    @Override
    public Origin unaryOperation(AbstractInsnNode node, Origin value) {
      int size =
          switch (node.getOpcode()) {
            case Opcodes.LNEG,
                Opcodes.DNEG,
                Opcodes.I2L,
                Opcodes.I2D,
                Opcodes.L2D,
                Opcodes.F2L,
                Opcodes.F2D,
                Opcodes.D2L ->
                2;
            case Opcodes.GETFIELD -> Type.getType(((FieldInsnNode) node).desc).getSize();
            default -> 1;
          };
      return made(size, node);
    }

    @Override
    public Origin binaryOperation(AbstractInsnNode node, Origin first, Origin second) {
      int size =
          switch (node.getOpcode()) {
            case Opcodes.LALOAD,
                Opcodes.DALOAD,
                Opcodes.LADD,
                Opcodes.DADD,
                Opcodes.LSUB,
                Opcodes.DSUB,
                Opcodes.LMUL,
                Opcodes.DMUL,
                Opcodes.LDIV,
                Opcodes.DDIV,
                Opcodes.LREM,
                Opcodes.DREM,
                Opcodes.LSHL,
                Opcodes.LSHR,
                Opcodes.LUSHR,
                Opcodes.LAND,
                Opcodes.LOR,
                Opcodes.LXOR ->
                2;
            default -> 1;
          };
      return made(size, node);
    }

    @Override
    public Origin ternaryOperation(
        AbstractInsnNode node, Origin first, Origin second, Origin third) {
      return made(1, node);
    }

    @Override
    public Origin naryOperation(AbstractInsnNode node, List<? extends Origin> values) {
      return node instanceof MultiANewArrayInsnNode
          ? made(1, node)
          : made(Type.getReturnType(MethodModel.descOf(node)).getSize(), node);
    }

    @Override
    public void returnOperation(AbstractInsnNode node, Origin value, Origin expected) {
      // A return is the last use of a value.
    }

    @Override
    public Origin merge(Origin one, Origin other) {
      return one.with(other);
    }
  }
}
