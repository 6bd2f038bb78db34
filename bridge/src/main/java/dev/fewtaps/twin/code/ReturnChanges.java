package dev.fewtaps.twin.code;

import java.util.List;
import java.util.Map;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.AnnotationNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.LdcInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;

/** Changes of returned values. A value that is returned as a constant already is left alone. */
final class ReturnChanges {
  private static final String BOOLEAN = "java.lang.Boolean";

  /** An object that is empty or zero: its words, and the call that makes it of an argument. */
  private record Empty(String words, int argument, MethodInsnNode call) {
    static Empty boxed(String type, String primitive, int zero) {
      String owner = "java/lang/" + type;
      return new Empty(type + " 0", zero, call(owner, "valueOf", "(" + primitive + ")L" + owner));
    }

    static Empty made(String owner, String method, String type) {
      String words = owner.substring(owner.lastIndexOf('/') + 1) + "." + method;
      return new Empty(words, Opcodes.NOP, call(owner, method, "()L" + type));
    }

    private static MethodInsnNode call(String owner, String method, String desc) {
      boolean isInterface = owner.endsWith("/Stream");
      return new MethodInsnNode(Opcodes.INVOKESTATIC, owner, method, desc + ";", isInterface);
    }

    boolean isMadeBy(AbstractInsnNode node) {
      return node instanceof MethodInsnNode other
          && other.owner.equals(call.owner)
          && other.name.equals(call.name)
          && other.desc.equals(call.desc);
    }
  }

  private static final Empty EMPTY_LIST =
      Empty.made("java/util/Collections", "emptyList", "java/util/List");

  private static final Map<String, Empty> EMPTIES =
      Map.ofEntries(
          Map.entry("java.lang.Integer", Empty.boxed("Integer", "I", Opcodes.ICONST_0)),
          Map.entry("java.lang.Short", Empty.boxed("Short", "S", Opcodes.ICONST_0)),
          Map.entry("java.lang.Character", Empty.boxed("Character", "C", Opcodes.ICONST_0)),
          Map.entry("java.lang.Long", Empty.boxed("Long", "J", Opcodes.LCONST_0)),
          Map.entry("java.lang.Float", Empty.boxed("Float", "F", Opcodes.FCONST_0)),
          Map.entry("java.lang.Double", Empty.boxed("Double", "D", Opcodes.DCONST_0)),
          Map.entry(
              "java.util.Optional",
              Empty.made("java/util/Optional", "empty", "java/util/Optional")),
          Map.entry(
              "java.util.stream.Stream",
              Empty.made("java/util/stream/Stream", "empty", "java/util/stream/Stream")),
          Map.entry("java.util.List", EMPTY_LIST),
          Map.entry("java.util.Collection", EMPTY_LIST),
          Map.entry("java.lang.Iterable", EMPTY_LIST),
          Map.entry(
              "java.util.Set", Empty.made("java/util/Collections", "emptySet", "java/util/Set")),
          Map.entry(
              "java.util.Map", Empty.made("java/util/Collections", "emptyMap", "java/util/Map")));

  private ReturnChanges() {}

  /** Returns true or false in place of a boolean. */
  static InstructionChange truth(MethodNode method, AbstractInsnNode node, boolean value) {
    Type type = Type.getReturnType(method.desc);
    AbstractInsnNode constant = new InsnNode(value ? Opcodes.ICONST_1 : Opcodes.ICONST_0);
    String description = "replaced boolean return with " + value;
    if (node.getOpcode() == Opcodes.IRETURN && type.getSort() == Type.BOOLEAN) {
      return returns(node, value ? 1 : 0) ? null : change(description, node, constant);
    }
    if (node.getOpcode() == Opcodes.ARETURN && type.getClassName().equals(BOOLEAN)) {
      MethodInsnNode box = Empty.boxed("Boolean", "Z", 0).call();
      return isBoxed(node, value) ? null : change(description, node, constant, box);
    }
    return null;
  }

  private static boolean isBoxed(AbstractInsnNode node, boolean value) {
    AbstractInsnNode before = Instructions.previous(node);
    if (before instanceof FieldInsnNode field) {
      return field.owner.equals("java/lang/Boolean") && field.name.equals(value ? "TRUE" : "FALSE");
    }
    return Empty.boxed("Boolean", "Z", 0).isMadeBy(before) && returns(before, value ? 1 : 0);
  }

  /** Returns null in place of an object for which there is nothing emptier. */
  static InstructionChange nothing(MethodNode method, AbstractInsnNode node) {
    String type = Type.getReturnType(method.desc).getClassName();
    if (node.getOpcode() != Opcodes.ARETURN
        || isEmptiable(type)
        || type.equals(BOOLEAN)
        || isNeverNull(method)
        || follows(node, Opcodes.ACONST_NULL)) {
      return null;
    }
    return change("replaced return value with null", node, new InsnNode(Opcodes.ACONST_NULL));
  }

  private static boolean isEmptiable(String type) {
    return type.equals("java.lang.String") || EMPTIES.containsKey(type);
  }

  /** PIT goes by annotations that end so; {@code NonNull} is what Android calls the same. */
  private static boolean isNeverNull(MethodNode method) {
    return isNeverNull(method.visibleAnnotations) || isNeverNull(method.invisibleAnnotations);
  }

  private static boolean isNeverNull(List<AnnotationNode> annotations) {
    return annotations != null
        && annotations.stream()
            .anyMatch(note -> note.desc.endsWith("NotNull;") || note.desc.endsWith("NonNull;"));
  }

  /** Returns an empty text or collection, or a boxed zero. */
  static InstructionChange empty(MethodNode method, AbstractInsnNode node) {
    if (node.getOpcode() != Opcodes.ARETURN) {
      return null;
    }
    String type = Type.getReturnType(method.desc).getClassName();
    if (type.equals("java.lang.String")) {
      return "".equals(returned(node))
          ? null
          : change("replaced return value with \"\"", node, new LdcInsnNode(""));
    }
    Empty empty = EMPTIES.get(type);
    AbstractInsnNode before = Instructions.previous(node);
    if (empty == null
        || (empty.isMadeBy(before)
            && (empty.argument == Opcodes.NOP || follows(before, empty.argument)))) {
      return null;
    }
    return change(
        "replaced return value with " + empty.words,
        node,
        new InsnNode(empty.argument),
        empty.call.clone(null));
  }

  /** Returns zero in place of a number. */
  static InstructionChange zero(MethodNode method, AbstractInsnNode node) {
    Type type = Type.getReturnType(method.desc);
    int zero =
        switch (node.getOpcode()) {
          case Opcodes.IRETURN -> Opcodes.ICONST_0;
          case Opcodes.LRETURN -> Opcodes.LCONST_0;
          case Opcodes.FRETURN -> Opcodes.FCONST_0;
          case Opcodes.DRETURN -> Opcodes.DCONST_0;
          default -> Opcodes.NOP;
        };
    if (zero == Opcodes.NOP || type.getSort() == Type.BOOLEAN || follows(node, zero)) {
      return null;
    }
    return change("replaced " + type.getClassName() + " return with 0", node, new InsnNode(zero));
  }

  private static InstructionChange change(
      String description, AbstractInsnNode node, AbstractInsnNode... value) {
    boolean isWide = node.getOpcode() == Opcodes.LRETURN || node.getOpcode() == Opcodes.DRETURN;
    AbstractInsnNode[] all = new AbstractInsnNode[value.length + 2];
    all[0] = new InsnNode(isWide ? Opcodes.POP2 : Opcodes.POP);
    System.arraycopy(value, 0, all, 1, value.length);
    all[value.length + 1] = new InsnNode(node.getOpcode());
    return InstructionChange.of(description, all);
  }

  private static boolean follows(AbstractInsnNode node, int opcode) {
    AbstractInsnNode before = Instructions.previous(node);
    return before != null && before.getOpcode() == opcode;
  }

  private static boolean returns(AbstractInsnNode node, int value) {
    return Integer.valueOf(value).equals(returned(node));
  }

  private static Object returned(AbstractInsnNode node) {
    AbstractInsnNode before = Instructions.previous(node);
    return before == null ? null : Instructions.constant(before);
  }
}
