package dev.fewtaps.twin.code;

import com.google.gson.stream.JsonWriter;
import dev.fewtaps.twin.code.MethodModel.Block;
import dev.fewtaps.twin.code.MethodModel.Instruction;
import dev.fewtaps.twin.code.MethodModel.Op;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.IincInsnNode;
import org.objectweb.asm.tree.IntInsnNode;
import org.objectweb.asm.tree.InvokeDynamicInsnNode;
import org.objectweb.asm.tree.LocalVariableNode;
import org.objectweb.asm.tree.LookupSwitchInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MultiANewArrayInsnNode;
import org.objectweb.asm.tree.TableSwitchInsnNode;
import org.objectweb.asm.tree.TypeInsnNode;
import org.objectweb.asm.tree.VarInsnNode;
import org.objectweb.asm.util.Printer;

/** Writes models of methods as the bridge protocol has them. */
final class CodeWriter {
  /** Characters of a constant that are written. */
  private static final int LONGEST_CONSTANT = 256;

  private static final String[] ARRAY_TYPES = {
    "boolean", "char", "float", "double", "byte", "short", "int", "long"
  };

  /** Numbers from here on may be those of an app's resources. */
  private static final int FIRST_RESOURCE = 0x7f010000;

  private final JsonWriter out;
  private final IntFunction<String> resources;

  /**
   * Writes to a writer.
   *
   * @param resources the name of a resource by its number, null for a number that is none
   */
  CodeWriter(JsonWriter out, IntFunction<String> resources) {
    this.out = out;
    this.resources = resources;
  }

  /** Writes one method, the number of whose first block is given. */
  void write(MethodModel model, int first) throws IOException {
    out.beginObject();
    out.name("name").value(model.method.name);
    out.name("desc").value(model.method.desc);
    out.name("access").value(model.method.access);
    out.name("first").value(first);
    out.name("outside").value(model.outside);
    out.name("params").beginArray();
    if (!model.isStatic()) {
      out.value("this");
    }
    for (Type argument : Type.getArgumentTypes(model.method.desc)) {
      out.value(argument.getDescriptor());
    }
    out.endArray();
    if (model.opaque() != null) {
      out.name("opaque").value(model.opaque());
    } else {
      writeCode(model);
    }
    out.endObject();
  }

  private void writeCode(MethodModel model) throws IOException {
    int[][][] producers = Producers.of(model);
    out.name("code").beginArray();
    for (int i = 0; i < producers.length; i++) {
      Instruction instruction = model.code().get(i);
      out.beginArray();
      out.value(instruction.op().name().toLowerCase(Locale.ROOT));
      out.value(isMadeCopy(model, i) ? 0 : instruction.line());
      out.beginArray();
      for (int[] operand : producers[i]) {
        out.beginArray();
        for (int producer : operand) {
          out.value(producer);
        }
        out.endArray();
      }
      out.endArray();
      writeDetail(model, instruction);
      out.value(instruction.before()).value(instruction.after());
      out.endArray();
    }
    out.endArray();
    out.name("blocks").beginArray();
    for (Block block : model.blocks()) {
      out.beginArray().value(block.first).value(block.last);
      write(block.successors);
      write(block.handlers);
      out.endArray();
    }
    out.endArray();
  }

  private void write(Collection<Integer> numbers) throws IOException {
    out.beginArray();
    for (int number : numbers) {
      out.value(number);
    }
    out.endArray();
  }

  private void writeDetail(MethodModel model, Instruction instruction) throws IOException {
    AbstractInsnNode node = instruction.node();
    out.beginObject();
    switch (instruction.op()) {
      case CONST -> writeConstant(node);
      case LOAD, STORE -> writeLocal(model, node, ((VarInsnNode) node).var, instruction.op());
      case INC -> {
        IincInsnNode increment = (IincInsnNode) node;
        writeLocal(model, node, increment.var, Op.INC);
        out.name("by").value(increment.incr);
      }
      case GETFIELD, PUTFIELD, GETSTATIC, PUTSTATIC -> {
        FieldInsnNode field = (FieldInsnNode) node;
        out.name("class").value(dotted(model.fieldOwner(field)));
        out.name("name").value(field.name).name("desc").value(field.desc);
      }
      case CALL -> writeCall(instruction);
      case NEW, NEWARRAY, CAST, INSTANCEOF -> out.name("type").value(typeOf(node));
      case MATH, COMPARE, CONVERT, BRANCH, MONITOR ->
          out.name("op").value(Printer.OPCODES[node.getOpcode()].toLowerCase(Locale.ROOT));
      case SWITCH -> {
        out.name("keys");
        write(keys(node));
      }
      default -> {}
    }
    out.endObject();
  }

  private void writeConstant(AbstractInsnNode node) throws IOException {
    Object value = Instructions.constant(node);
    String text = String.valueOf(value);
    String type = "null";
    if (value instanceof Integer) {
      type = "I";
    } else if (value instanceof Long) {
      type = "J";
    } else if (value instanceof Float) {
      type = "F";
    } else if (value instanceof Double) {
      type = "D";
    } else if (value instanceof String) {
      type = "Ljava/lang/String;";
    } else if (value instanceof Type named) {
      type = named.getSort() == Type.METHOD ? "Ljava/lang/invoke/MethodType;" : "Ljava/lang/Class;";
      text = named.getSort() == Type.METHOD ? named.getDescriptor() : named.getClassName();
    } else if (value != null) {
      type = "Ljava/lang/invoke/MethodHandle;";
    }
    boolean cut = text.length() > LONGEST_CONSTANT;
    out.name("value").value(cut ? text.substring(0, LONGEST_CONSTANT) : text);
    out.name("type").value(type);
    if (value instanceof Integer number && number >= FIRST_RESOURCE) {
      String name = resources.apply(number);
      if (name != null) {
        out.name("name").value(name);
      }
    }
  }

  private void writeLocal(MethodModel model, AbstractInsnNode node, int local, Op op)
      throws IOException {
    out.name("local").value(local);
    String name = nameOf(model, op == Op.STORE ? following(node) : node, local);
    if (name != null && !name.equals(DexTranslator.MADE_COPY)) {
      out.name("name").value(name);
    }
  }

  /** Whether an instruction belongs to a copy of a variable that no statement of the app makes. */
  private static boolean isMadeCopy(MethodModel model, int number) {
    Instruction instruction = model.code().get(number);
    boolean isCopied = instruction.op() == Op.LOAD || instruction.op() == Op.CONST;
    if (isCopied && number + 1 < model.code().size()) {
      return model.code().get(number + 1).op() == Op.STORE && isMadeCopy(model, number + 1);
    }
    return instruction.op() == Op.STORE
        && instruction.node() instanceof VarInsnNode store
        && DexTranslator.MADE_COPY.equals(nameOf(model, following(store), store.var));
  }

  /** A variable begins to have its name after the store that gives it its first value. */
  private static AbstractInsnNode following(AbstractInsnNode node) {
    AbstractInsnNode next = node.getNext();
    while (next != null && next.getOpcode() < 0) {
      next = next.getNext();
    }
    return next == null ? node : next;
  }

  private static String nameOf(MethodModel model, AbstractInsnNode node, int local) {
    List<LocalVariableNode> variables = model.method.localVariables;
    if (variables != null) {
      int position = model.method.instructions.indexOf(node);
      for (LocalVariableNode variable : variables) {
        if (variable.index == local
            && model.method.instructions.indexOf(variable.start) <= position
            && position < model.method.instructions.indexOf(variable.end)) {
          return variable.name;
        }
      }
    }
    return null;
  }

  private void writeCall(Instruction instruction) throws IOException {
    AbstractInsnNode node = instruction.node();
    if (node instanceof MethodInsnNode call) {
      String kind =
          switch (call.getOpcode()) {
            case Opcodes.INVOKESTATIC -> "static";
            case Opcodes.INVOKESPECIAL -> "special";
            case Opcodes.INVOKEINTERFACE -> "interface";
            default -> "virtual";
          };
      out.name("kind").value(kind).name("class").value(dotted(call.owner));
      out.name("name").value(call.name).name("desc").value(call.desc);
    } else {
      InvokeDynamicInsnNode call = (InvokeDynamicInsnNode) node;
      out.name("kind").value("dynamic").name("class").value(dotted(call.bsm.getOwner()));
      out.name("name").value(call.name).name("desc").value(call.desc);
    }
    out.name("beyond").value(instruction.beyond());
  }

  private static String typeOf(AbstractInsnNode node) {
    if (node instanceof MultiANewArrayInsnNode many) {
      return Type.getType(many.desc).getClassName();
    }
    if (node instanceof IntInsnNode array) {
      return ARRAY_TYPES[array.operand - Opcodes.T_BOOLEAN] + "[]";
    }
    String name = dotted(((TypeInsnNode) node).desc);
    return node.getOpcode() == Opcodes.ANEWARRAY ? name + "[]" : name;
  }

  private static List<Integer> keys(AbstractInsnNode node) {
    if (node instanceof TableSwitchInsnNode table) {
      return IntStream.rangeClosed(table.min, table.max).boxed().toList();
    }
    return ((LookupSwitchInsnNode) node).keys;
  }

  private static String dotted(String internalName) {
    return Type.getObjectType(internalName).getClassName();
  }
}
