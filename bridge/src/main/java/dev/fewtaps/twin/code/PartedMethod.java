package dev.fewtaps.twin.code;

import com.googlecode.d2j.DexLabel;
import com.googlecode.d2j.DexType;
import com.googlecode.d2j.Field;
import com.googlecode.d2j.node.DexCodeNode;
import com.googlecode.d2j.node.DexDebugNode.DexDebugOpNode;
import com.googlecode.d2j.node.DexMethodNode;
import com.googlecode.d2j.node.insn.ConstStmtNode;
import com.googlecode.d2j.node.insn.DexLabelStmtNode;
import com.googlecode.d2j.node.insn.DexStmtNode;
import com.googlecode.d2j.node.insn.FieldStmtNode;
import com.googlecode.d2j.node.insn.FilledNewArrayStmtNode;
import com.googlecode.d2j.node.insn.JumpStmtNode;
import com.googlecode.d2j.node.insn.MethodStmtNode;
import com.googlecode.d2j.node.insn.Stmt0RNode;
import com.googlecode.d2j.node.insn.Stmt1RNode;
import com.googlecode.d2j.node.insn.Stmt2RNode;
import com.googlecode.d2j.node.insn.Stmt3RNode;
import com.googlecode.d2j.node.insn.TypeStmtNode;
import com.googlecode.d2j.reader.Op;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * Translates a method that is too large for dex2jar or for the JVM, in parts.
 *
 * <p>The registers lie in two arrays, objects in one and the bits of numbers in the other, which
 * the parts share. A part returns where to go on; the method itself only calls one part after the
 * other. This is slow and takes memory by the statements alone. The methods in question build large
 * tables once: lists of all icons, initial values. What such methods do not do is not translated
 * here: arithmetic, switches, try blocks.
 */
public final class PartedMethod {
  /** The most bytes of a part, roughly; the JVM allows 64 KB, and coverage needs room. */
  private static final int PART_BYTES = 20_000;

  private static final int STATEMENT_BYTES = 40;
  private static final int ARGUMENT_BYTES = 12;

  private static final String PART = "([Ljava/lang/Object;[JI)I";
  private static final String OBJECT = "Ljava/lang/Object;";

  /** The variables of a part: the two arrays, where to begin, and one for a value. */
  private static final int OBJECTS = 0;

  private static final int NUMBERS = 1;
  private static final int AT = 2;
  private static final int VALUE = 3;

  private final DexMethodNode method;
  private final List<DexStmtNode> statements;
  private final String owner;
  private final String name;
  private final boolean isInterface;

  /** Where the result lies, behind all registers. */
  private final int result;

  /** Registers that are compared with null or zero: what they held before must not be seen. */
  private final Set<Integer> compared = new HashSet<>();

  private final Map<DexLabel, Integer> positions = new IdentityHashMap<>();
  private final Map<DexLabel, Integer> lines = new IdentityHashMap<>();

  /** The first statement of each part, and the end. */
  private final List<Integer> bounds = new ArrayList<>();

  private PartedMethod(DexMethodNode method, boolean isInterface) {
    this.method = method;
    this.statements = method.codeNode.stmts;
    this.owner = Type.getType(method.method.getOwner()).getInternalName();
    this.name = method.method.getName().replace("<", "").replace(">", "");
    this.isInterface = isInterface;
    this.result = method.codeNode.totalRegister;
  }

  /** Whether a method has nothing that is not translated here. */
  public static boolean canTranslate(DexCodeNode code) {
    if (code.tryStmts != null && !code.tryStmts.isEmpty()) {
      return false;
    }
    return code.stmts.stream().allMatch(PartedMethod::isKnown);
  }

  private static boolean isKnown(DexStmtNode statement) {
    if (statement instanceof DexLabelStmtNode) {
      return true;
    }
    String op = statement.op.name();
    if (statement instanceof MethodStmtNode) {
      return true;
    }
    if (statement instanceof ConstStmtNode constant) {
      return constant.value instanceof Number
          || constant.value instanceof String
          || constant.value instanceof DexType;
    }
    if (statement instanceof Stmt2RNode) {
      return op.startsWith("MOVE") || statement.op == Op.ARRAY_LENGTH;
    }
    if (statement instanceof Stmt1RNode) {
      return op.startsWith("MOVE_RESULT") || op.startsWith("RETURN") || statement.op == Op.THROW;
    }
    if (statement instanceof Stmt3RNode) {
      return op.startsWith("APUT") || op.startsWith("AGET");
    }
    return statement instanceof FieldStmtNode
        || statement instanceof JumpStmtNode
        || statement instanceof TypeStmtNode
        || statement instanceof FilledNewArrayStmtNode
        || statement instanceof Stmt0RNode;
  }

  /** Writes the code of a method, and its parts as further methods of its class. */
  public static void translate(
      DexMethodNode method, boolean isInterface, MethodVisitor body, ClassVisitor type) {
    PartedMethod parted = new PartedMethod(method, isInterface);
    parted.prepare();
    for (int part = 0; part + 1 < parted.bounds.size(); part++) {
      int access =
          (isInterface ? Opcodes.ACC_PUBLIC : 0) | Opcodes.ACC_STATIC | Opcodes.ACC_SYNTHETIC;
      MethodVisitor visitor = type.visitMethod(access, parted.partName(part), PART, null, null);
      visitor.visitCode();
      parted.new Part(visitor, parted.bounds.get(part), parted.bounds.get(part + 1)).write();
      visitor.visitMaxs(-1, -1);
      visitor.visitEnd();
    }
    parted.writeBody(body);
  }

  private String partName(int part) {
    return name + "$part" + part;
  }

  private void prepare() {
    int room = 0;
    bounds.add(0);
    for (int i = 0; i < statements.size(); i++) {
      DexStmtNode statement = statements.get(i);
      if (statement instanceof DexLabelStmtNode label) {
        positions.put(label.label, i);
      } else if (statement instanceof JumpStmtNode jump && statement.op != Op.GOTO) {
        compared.add(jump.a);
        compared.add(jump.b);
      }
      room += STATEMENT_BYTES + ARGUMENT_BYTES * arguments(statement);
      boolean isResult = statement.op != null && statement.op.name().startsWith("MOVE_RESULT");
      if (room > PART_BYTES && !isResult && i > bounds.get(bounds.size() - 1)) {
        bounds.add(i);
        room = 0;
      }
    }
    bounds.add(statements.size());
    if (method.codeNode.debugNode != null) {
      for (DexDebugOpNode node : method.codeNode.debugNode.debugNodes) {
        if (node instanceof DexDebugOpNode.LineNumber number) {
          lines.put(node.label, number.line);
        }
      }
    }
  }

  private static int arguments(DexStmtNode statement) {
    if (statement instanceof MethodStmtNode call) {
      return call.args.length;
    }
    return statement instanceof FilledNewArrayStmtNode array ? array.args.length : 0;
  }

  /** The method itself: puts the arguments into their registers and calls the parts. */
  private void writeBody(MethodVisitor visitor) {
    boolean isStatic = (method.access & Opcodes.ACC_STATIC) != 0;
    List<Type> types = new ArrayList<>();
    if (!isStatic) {
      types.add(Type.getType(method.method.getOwner()));
    }
    types.addAll(List.of(Type.getArgumentTypes(method.method.getDesc())));
    int size = types.stream().mapToInt(Type::getSize).sum();
    int objects = size;
    int numbers = size + 1;
    int at = size + 2;
    push(visitor, result + 1);
    visitor.visitTypeInsn(Opcodes.ANEWARRAY, "java/lang/Object");
    visitor.visitVarInsn(Opcodes.ASTORE, objects);
    push(visitor, result + 1);
    visitor.visitIntInsn(Opcodes.NEWARRAY, Opcodes.T_LONG);
    visitor.visitVarInsn(Opcodes.ASTORE, numbers);
    int register = method.codeNode.totalRegister - size;
    int local = 0;
    for (Type type : types) {
      boolean isObject = type.getSort() >= Type.ARRAY;
      visitor.visitVarInsn(Opcodes.ALOAD, isObject ? objects : numbers);
      push(visitor, register);
      visitor.visitVarInsn(type.getOpcode(Opcodes.ILOAD), local);
      toBits(visitor, type);
      visitor.visitInsn(isObject ? Opcodes.AASTORE : Opcodes.LASTORE);
      register += type.getSize();
      local += type.getSize();
    }
    push(visitor, 0);
    visitor.visitVarInsn(Opcodes.ISTORE, at);
    Label again = new Label();
    Label done = new Label();
    visitor.visitLabel(again);
    visitor.visitVarInsn(Opcodes.ILOAD, at);
    visitor.visitJumpInsn(Opcodes.IFLT, done);
    for (int part = 0; part + 1 < bounds.size(); part++) {
      Label next = new Label();
      visitor.visitVarInsn(Opcodes.ILOAD, at);
      push(visitor, bounds.get(part + 1));
      visitor.visitJumpInsn(Opcodes.IF_ICMPGE, next);
      visitor.visitVarInsn(Opcodes.ALOAD, objects);
      visitor.visitVarInsn(Opcodes.ALOAD, numbers);
      visitor.visitVarInsn(Opcodes.ILOAD, at);
      visitor.visitMethodInsn(Opcodes.INVOKESTATIC, owner, partName(part), PART, isInterface);
      visitor.visitVarInsn(Opcodes.ISTORE, at);
      visitor.visitJumpInsn(Opcodes.GOTO, again);
      visitor.visitLabel(next);
    }
    visitor.visitLabel(done);
    Type returned = Type.getReturnType(method.method.getDesc());
    if (returned.getSort() != Type.VOID) {
      boolean isObject = returned.getSort() >= Type.ARRAY;
      visitor.visitVarInsn(Opcodes.ALOAD, isObject ? objects : numbers);
      push(visitor, result);
      visitor.visitInsn(isObject ? Opcodes.AALOAD : Opcodes.LALOAD);
      fromBits(visitor, returned);
    }
    visitor.visitInsn(returned.getOpcode(Opcodes.IRETURN));
    visitor.visitMaxs(-1, -1);
  }

  private static void push(MethodVisitor visitor, int value) {
    if (value >= -1 && value <= 5) {
      visitor.visitInsn(Opcodes.ICONST_0 + value);
    } else if (value == (short) value) {
      visitor.visitIntInsn(Opcodes.SIPUSH, value);
    } else {
      visitor.visitLdcInsn(value);
    }
  }

  /** Turns a number on the stack into a long with its bits. */
  private static void toBits(MethodVisitor visitor, Type type) {
    switch (type.getSort()) {
      case Type.FLOAT -> {
        visitor.visitMethodInsn(
            Opcodes.INVOKESTATIC, "java/lang/Float", "floatToRawIntBits", "(F)I", false);
        visitor.visitInsn(Opcodes.I2L);
      }
      case Type.DOUBLE ->
          visitor.visitMethodInsn(
              Opcodes.INVOKESTATIC, "java/lang/Double", "doubleToRawLongBits", "(D)J", false);
      case Type.LONG, Type.OBJECT, Type.ARRAY -> {}
      default -> visitor.visitInsn(Opcodes.I2L);
    }
  }

  private static void fromBits(MethodVisitor visitor, Type type) {
    switch (type.getSort()) {
      case Type.FLOAT -> {
        visitor.visitInsn(Opcodes.L2I);
        visitor.visitMethodInsn(
            Opcodes.INVOKESTATIC, "java/lang/Float", "intBitsToFloat", "(I)F", false);
      }
      case Type.DOUBLE ->
          visitor.visitMethodInsn(
              Opcodes.INVOKESTATIC, "java/lang/Double", "longBitsToDouble", "(J)D", false);
      case Type.LONG, Type.OBJECT, Type.ARRAY -> {}
      default -> visitor.visitInsn(Opcodes.L2I);
    }
  }

  /** Writes the statements from one position to another. */
  private final class Part {
    private final MethodVisitor visitor;
    private final int start;
    private final int end;
    private final Map<Integer, Label> labels = new HashMap<>();

    Part(MethodVisitor visitor, int start, int end) {
      this.visitor = visitor;
      this.start = start;
      this.end = end;
    }

    void write() {
      List<Integer> entries = new ArrayList<>();
      for (int i = start; i < end; i++) {
        if (i == start || statements.get(i) instanceof DexLabelStmtNode) {
          labels.put(i, new Label());
          entries.add(i);
        }
      }
      visitor.visitVarInsn(Opcodes.ILOAD, AT);
      visitor.visitLookupSwitchInsn(
          labels.get(start),
          entries.stream().mapToInt(Integer::intValue).toArray(),
          entries.stream().map(labels::get).toArray(Label[]::new));
      for (int i = start; i < end; i++) {
        Label label = labels.get(i);
        if (label != null) {
          visitor.visitLabel(label);
        }
        if (statements.get(i) instanceof DexLabelStmtNode place) {
          Integer line = lines.get(place.label);
          if (line != null) {
            visitor.visitLineNumber(line, label);
          }
        } else {
          write(i, statements.get(i));
        }
      }
      push(visitor, end);
      visitor.visitInsn(Opcodes.IRETURN);
    }

    private void write(int index, DexStmtNode statement) {
      String op = statement.op.name();
      if (statement instanceof MethodStmtNode call) {
        call(index, call);
      } else if (statement instanceof ConstStmtNode constant) {
        constant(constant);
      } else if (statement instanceof Stmt2RNode two) {
        if (statement.op == Op.ARRAY_LENGTH) {
          load(two.b, Type.getType(OBJECT));
          visitor.visitInsn(Opcodes.ARRAYLENGTH);
          store(two.a, Type.INT_TYPE);
        } else {
          Type type = op.contains("OBJECT") ? Type.getType(OBJECT) : Type.LONG_TYPE;
          load(two.b, type);
          store(two.a, type);
        }
      } else if (statement instanceof Stmt3RNode three) {
        element(op, three);
      } else if (statement instanceof FieldStmtNode access) {
        field(op, access);
      } else if (statement instanceof JumpStmtNode jump) {
        jump(jump);
      } else if (statement instanceof TypeStmtNode type) {
        type(type);
      } else if (statement instanceof FilledNewArrayStmtNode array) {
        filled(index, array);
      } else if (statement instanceof Stmt1RNode one && !op.startsWith("MOVE_RESULT")) {
        leave(one);
      } else if (statement.op == Op.RETURN_VOID) {
        push(visitor, -1);
        visitor.visitInsn(Opcodes.IRETURN);
      }
    }

    private void load(int register, Type type) {
      boolean isObject = type.getSort() >= Type.ARRAY;
      visitor.visitVarInsn(Opcodes.ALOAD, isObject ? OBJECTS : NUMBERS);
      push(visitor, register);
      visitor.visitInsn(isObject ? Opcodes.AALOAD : Opcodes.LALOAD);
      fromBits(visitor, type);
    }

    private void store(int register, Type type) {
      boolean isObject = type.getSort() >= Type.ARRAY;
      toBits(visitor, type);
      visitor.visitVarInsn(isObject ? Opcodes.ASTORE : Opcodes.LSTORE, VALUE);
      visitor.visitVarInsn(Opcodes.ALOAD, isObject ? OBJECTS : NUMBERS);
      push(visitor, register);
      visitor.visitVarInsn(isObject ? Opcodes.ALOAD : Opcodes.LLOAD, VALUE);
      visitor.visitInsn(isObject ? Opcodes.AASTORE : Opcodes.LASTORE);
      if (compared.contains(register)) {
        clear(register, !isObject);
      }
    }

    private void clear(int register, boolean isObject) {
      visitor.visitVarInsn(Opcodes.ALOAD, isObject ? OBJECTS : NUMBERS);
      push(visitor, register);
      visitor.visitInsn(isObject ? Opcodes.ACONST_NULL : Opcodes.LCONST_0);
      visitor.visitInsn(isObject ? Opcodes.AASTORE : Opcodes.LASTORE);
    }

    private void constant(ConstStmtNode constant) {
      if (constant.value instanceof Number number) {
        visitor.visitLdcInsn(number.longValue());
        store(constant.a, Type.LONG_TYPE);
        if (number.longValue() == 0) {
          clear(constant.a, true); // It may stand for null.
        }
      } else {
        Object value =
            constant.value instanceof DexType type ? Type.getType(type.desc) : constant.value;
        visitor.visitLdcInsn(value);
        store(constant.a, Type.getType(OBJECT));
      }
    }

    private void call(int index, MethodStmtNode call) {
      String kind = call.op.name();
      int next = 0;
      if (!kind.startsWith("INVOKE_STATIC")) {
        load(call.args[next++], Type.getType(OBJECT));
      }
      for (Type argument : Type.getArgumentTypes(call.method.getDesc())) {
        load(call.args[next], argument);
        next += argument.getSize();
      }
      int opcode = Opcodes.INVOKEVIRTUAL;
      if (kind.startsWith("INVOKE_STATIC")) {
        opcode = Opcodes.INVOKESTATIC;
      } else if (kind.startsWith("INVOKE_INTERFACE")) {
        opcode = Opcodes.INVOKEINTERFACE;
      } else if (!kind.startsWith("INVOKE_VIRTUAL")) {
        opcode = Opcodes.INVOKESPECIAL;
      }
      visitor.visitMethodInsn(
          opcode,
          Type.getType(call.method.getOwner()).getInternalName(),
          call.method.getName(),
          call.method.getDesc(),
          opcode == Opcodes.INVOKEINTERFACE);
      keep(index, Type.getReturnType(call.method.getDesc()));
    }

    /** Puts a result where the next statement wants it, if it does. */
    private void keep(int index, Type type) {
      DexStmtNode next = index + 1 < end ? statements.get(index + 1) : null;
      if (type.getSort() == Type.VOID) {
        return;
      }
      if (next instanceof Stmt1RNode wanted && next.op.name().startsWith("MOVE_RESULT")) {
        store(wanted.a, type);
      } else {
        visitor.visitInsn(type.getSize() == 2 ? Opcodes.POP2 : Opcodes.POP);
      }
    }

    private void field(String op, FieldStmtNode access) {
      Field field = access.field;
      Type type = Type.getType(field.getType());
      boolean isStatic = op.startsWith("S");
      boolean writes = op.startsWith("PUT", 1);
      if (!isStatic) {
        load(access.b, Type.getType(OBJECT));
      }
      if (writes) {
        load(access.a, type);
      }
      int opcode =
          isStatic
              ? writes ? Opcodes.PUTSTATIC : Opcodes.GETSTATIC
              : writes ? Opcodes.PUTFIELD : Opcodes.GETFIELD;
      visitor.visitFieldInsn(
          opcode,
          Type.getType(field.getOwner()).getInternalName(),
          field.getName(),
          field.getType());
      if (!writes) {
        store(access.a, type);
      }
    }

    private void element(String op, Stmt3RNode access) {
      boolean writes = op.startsWith("APUT");
      String kind = op.substring(4);
      switch (kind) {
        case "_OBJECT" -> element(writes, access, Type.getType(OBJECT));
        case "_BYTE", "_BOOLEAN" -> element(writes, access, Type.BYTE_TYPE);
        case "_CHAR" -> element(writes, access, Type.CHAR_TYPE);
        case "_SHORT" -> element(writes, access, Type.SHORT_TYPE);
        case "_WIDE" -> either(writes, access, "[D", Type.DOUBLE_TYPE, Type.LONG_TYPE);
        default -> either(writes, access, "[F", Type.FLOAT_TYPE, Type.INT_TYPE);
      }
    }

    /** DEX has one operation for both types; the array tells. */
    private void either(
        boolean writes, Stmt3RNode access, String first, Type firstType, Type secondType) {
      Label other = new Label();
      Label done = new Label();
      load(access.b, Type.getType(OBJECT));
      visitor.visitTypeInsn(Opcodes.INSTANCEOF, first);
      visitor.visitJumpInsn(Opcodes.IFEQ, other);
      element(writes, access, firstType);
      visitor.visitJumpInsn(Opcodes.GOTO, done);
      visitor.visitLabel(other);
      element(writes, access, secondType);
      visitor.visitLabel(done);
    }

    private void element(boolean writes, Stmt3RNode access, Type type) {
      load(access.b, Type.getType(OBJECT));
      load(access.c, Type.INT_TYPE);
      if (writes) {
        load(access.a, type);
        visitor.visitInsn(type.getOpcode(Opcodes.IASTORE));
      } else {
        visitor.visitInsn(type.getOpcode(Opcodes.IALOAD));
        store(access.a, type);
      }
    }

    private void type(TypeStmtNode statement) {
      String type = Type.getType(statement.type).getInternalName();
      switch (statement.op) {
        case NEW_INSTANCE -> {
          visitor.visitTypeInsn(Opcodes.NEW, type);
          store(statement.a, Type.getType(OBJECT));
        }
        case CHECK_CAST -> {
          load(statement.a, Type.getType(OBJECT));
          visitor.visitTypeInsn(Opcodes.CHECKCAST, type);
          visitor.visitInsn(Opcodes.POP);
        }
        case INSTANCE_OF -> {
          load(statement.b, Type.getType(OBJECT));
          visitor.visitTypeInsn(Opcodes.INSTANCEOF, type);
          store(statement.a, Type.INT_TYPE);
        }
        default -> {
          load(statement.b, Type.INT_TYPE);
          newArray(statement.type);
          store(statement.a, Type.getType(OBJECT));
        }
      }
    }

    private void newArray(String array) {
      Type element = Type.getType(array.substring(1));
      switch (element.getSort()) {
        case Type.BOOLEAN -> visitor.visitIntInsn(Opcodes.NEWARRAY, Opcodes.T_BOOLEAN);
        case Type.BYTE -> visitor.visitIntInsn(Opcodes.NEWARRAY, Opcodes.T_BYTE);
        case Type.CHAR -> visitor.visitIntInsn(Opcodes.NEWARRAY, Opcodes.T_CHAR);
        case Type.SHORT -> visitor.visitIntInsn(Opcodes.NEWARRAY, Opcodes.T_SHORT);
        case Type.INT -> visitor.visitIntInsn(Opcodes.NEWARRAY, Opcodes.T_INT);
        case Type.LONG -> visitor.visitIntInsn(Opcodes.NEWARRAY, Opcodes.T_LONG);
        case Type.FLOAT -> visitor.visitIntInsn(Opcodes.NEWARRAY, Opcodes.T_FLOAT);
        case Type.DOUBLE -> visitor.visitIntInsn(Opcodes.NEWARRAY, Opcodes.T_DOUBLE);
        default -> visitor.visitTypeInsn(Opcodes.ANEWARRAY, element.getInternalName());
      }
    }

    private void filled(int index, FilledNewArrayStmtNode statement) {
      Type element = Type.getType(statement.type.substring(1));
      push(visitor, statement.args.length);
      newArray(statement.type);
      for (int i = 0; i < statement.args.length; i++) {
        visitor.visitInsn(Opcodes.DUP);
        push(visitor, i);
        load(statement.args[i], element);
        visitor.visitInsn(element.getOpcode(Opcodes.IASTORE));
      }
      keep(index, Type.getType(statement.type));
    }

    private void leave(Stmt1RNode statement) {
      if (statement.op == Op.THROW) {
        load(statement.a, Type.getType(OBJECT));
        visitor.visitInsn(Opcodes.ATHROW);
        return;
      }
      Type type = statement.op == Op.RETURN_OBJECT ? Type.getType(OBJECT) : Type.LONG_TYPE;
      load(statement.a, type);
      store(result, type);
      push(visitor, -1);
      visitor.visitInsn(Opcodes.IRETURN);
    }

    private void jump(JumpStmtNode jump) {
      int target = positions.get(jump.label);
      String op = jump.op.name();
      if (op.startsWith("GOTO")) {
        go(target);
        return;
      }
      Label over = new Label();
      Label taken = new Label();
      if (op.endsWith("Z")) {
        zeroTest(jump.a, op, taken, over);
      } else {
        pairTest(jump, op, taken, over);
      }
      visitor.visitLabel(taken);
      go(target);
      visitor.visitLabel(over);
    }

    private void zeroTest(int register, String op, Label taken, Label over) {
      boolean orders = !op.equals("IF_EQZ") && !op.equals("IF_NEZ");
      if (!orders) {
        load(register, Type.getType(OBJECT));
        visitor.visitJumpInsn(Opcodes.IFNONNULL, op.equals("IF_EQZ") ? over : taken);
      }
      load(register, Type.LONG_TYPE);
      visitor.visitInsn(Opcodes.LCONST_0);
      compare(op.substring(0, op.length() - 1), over);
    }

    private void pairTest(JumpStmtNode jump, String op, Label taken, Label over) {
      if (op.equals("IF_EQ") || op.equals("IF_NE")) {
        load(jump.a, Type.getType(OBJECT));
        load(jump.b, Type.getType(OBJECT));
        visitor.visitJumpInsn(Opcodes.IF_ACMPNE, op.equals("IF_EQ") ? over : taken);
      }
      load(jump.a, Type.LONG_TYPE);
      load(jump.b, Type.LONG_TYPE);
      compare(op, over);
    }

    /** Goes over the jump unless the comparison of two longs holds. */
    private void compare(String op, Label over) {
      visitor.visitInsn(Opcodes.LCMP);
      int opcode =
          switch (op) {
            case "IF_EQ" -> Opcodes.IFNE;
            case "IF_NE" -> Opcodes.IFEQ;
            case "IF_LT" -> Opcodes.IFGE;
            case "IF_GE" -> Opcodes.IFLT;
            case "IF_GT" -> Opcodes.IFLE;
            default -> Opcodes.IFGT;
          };
      visitor.visitJumpInsn(opcode, over);
    }

    private void go(int target) {
      if (target >= start && target < end) {
        visitor.visitJumpInsn(Opcodes.GOTO, labels.get(target));
      } else {
        push(visitor, target);
        visitor.visitInsn(Opcodes.IRETURN);
      }
    }
  }
}
