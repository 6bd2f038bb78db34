package dev.fewtaps.twin.code;

import dev.fewtaps.twin.code.HookTable.Call;
import dev.fewtaps.twin.code.HookTable.Target;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.JumpInsnNode;
import org.objectweb.asm.tree.LabelNode;
import org.objectweb.asm.tree.LookupSwitchInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.TableSwitchInsnNode;
import org.objectweb.asm.tree.TypeInsnNode;
import org.objectweb.asm.tree.VarInsnNode;

/**
 * Rewrites app classes so that what would make a run unrepeatable or unstoppable goes to the hooks.
 *
 * <p>Calls, constructions and parents change as the {@link HookTable} says. Native methods get a
 * body, loops a call of {@code tick}, and objects that would have the JVM's hash code one of ours.
 * Calls of methods in interfaces are marked as such, which DEX does not do but the JVM asks for.
 * Where ART finds a method that the JVM would refuse, the call or the class says it in the JVM's
 * way.
 */
public final class CallRewriter {
  private static final String OBJECT = "java/lang/Object";

  /** The tag of a reference to a method of a class in the constant pool. */
  private static final int CLASS_METHOD = 10;

  private final HookTable hooks;
  private final TypeLookup types;

  /** Makes a rewriter for the classes of an APK that is loaded below {@code parent}. */
  public CallRewriter(HookTable hooks, AppCode code, ClassLoader parent) {
    this.hooks = hooks;
    this.types = new TypeLookup(code, parent);
  }

  /** Rewrites one class. */
  public byte[] rewrite(byte[] bytes) {
    ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
    ClassReader reader = new ClassReader(bytes);
    reader.accept(visitor(reader, writer, Set.of()), ClassReader.SKIP_FRAMES);
    return writer.toByteArray();
  }

  /**
   * Returns a visitor that passes on the rewritten form of the class in {@code reader}.
   *
   * @param tickless methods, by name and descriptor, whose loops are left as they are because they
   *     would become too large
   */
  public ClassVisitor visitor(ClassReader reader, ClassVisitor next, Set<String> tickless) {
    return new ClassRewriter(reader, next, tickless);
  }

  private final class ClassRewriter extends ClassVisitor {
    private final ClassReader reader;
    private final Set<String> tickless;
    private String name;
    private boolean needsHash;

    ClassRewriter(ClassReader reader, ClassVisitor next, Set<String> tickless) {
      super(Opcodes.ASM9, next);
      this.reader = reader;
      this.tickless = tickless;
    }

    @Override
    public void visit(
        int version,
        int access,
        String className,
        String signature,
        String superName,
        String[] interfaces) {
      name = className;
      boolean isInterface = (access & Opcodes.ACC_INTERFACE) != 0;
      needsHash = hooks.identityHash() != null && !isInterface && types.hasDefaultHash(superName);
      super.visit(version, access, className, signature, hooks.type(superName), named(interfaces));
    }

    /**
     * Adds the inherited interfaces whose methods the class calls without dispatch. R8 leaves such
     * calls, and the JVM accepts them only for interfaces that the class itself names.
     */
    private String[] named(String[] interfaces) {
      Set<String> called = ownersOfClassMethods(reader);
      Set<String> inherited = new HashSet<>();
      types.addInterfaces(name, inherited);
      inherited.retainAll(called);
      List<String> direct = interfaces == null ? List.of() : Arrays.asList(interfaces);
      inherited.removeAll(direct);
      List<String> all = new ArrayList<>(direct);
      inherited.stream().sorted().forEach(all::add);
      return all.toArray(String[]::new);
    }

    @Override
    public MethodVisitor visitMethod(
        int access, String method, String desc, String signature, String[] exceptions) {
      if (method.equals("hashCode") && desc.equals("()I")) {
        needsHash = false;
      }
      if ((access & Opcodes.ACC_NATIVE) != 0 && hooks.nativeCalled() != null) {
        MethodVisitor body =
            super.visitMethod(access & ~Opcodes.ACC_NATIVE, method, desc, signature, exceptions);
        return new NativeBody(
            body, name.replace('/', '.') + "." + method, Type.getReturnType(desc));
      }
      MethodVisitor next = super.visitMethod(access, method, desc, signature, exceptions);
      boolean ticks = hooks.tick() != null && !tickless.contains(method + desc);
      return new MethodRewriter(next, ticks, access, method, desc, signature, exceptions);
    }

    @Override
    public void visitEnd() {
      if (needsHash) {
        addHash();
      }
      super.visitEnd();
    }

    private void addHash() {
      int access = Opcodes.ACC_PUBLIC | Opcodes.ACC_SYNTHETIC;
      MethodVisitor body = super.visitMethod(access, "hashCode", "()I", null, null);
      body.visitCode();
      body.visitVarInsn(Opcodes.ALOAD, 0);
      emit(body, hooks.identityHash());
      body.visitInsn(Opcodes.IRETURN);
      body.visitMaxs(1, 1);
      body.visitEnd();
    }
  }

  /**
   * The classes of all methods that a class calls as methods of classes. The translation marks only
   * calls with dispatch as calls of interface methods.
   */
  private static Set<String> ownersOfClassMethods(ClassReader reader) {
    Set<String> owners = new HashSet<>();
    char[] buffer = new char[reader.getMaxStringLength()];
    for (int i = 1; i < reader.getItemCount(); i++) {
      int item = reader.getItem(i);
      // The items of numbers of 64 bits take two places, of which the second is empty.
      if (item > 0 && reader.readByte(item - 1) == CLASS_METHOD) {
        owners.add(reader.readClass(item, buffer));
      }
    }
    return owners;
  }

  private static void emit(MethodVisitor visitor, Target target) {
    visitor.visitMethodInsn(
        Opcodes.INVOKESTATIC, target.owner(), target.name(), target.desc(), false);
  }

  private static MethodInsnNode call(Target target) {
    return new MethodInsnNode(
        Opcodes.INVOKESTATIC, target.owner(), target.name(), target.desc(), false);
  }

  /** Keeps a native method's annotations and gives it a body that returns nothing of use. */
  private final class NativeBody extends MethodVisitor {
    private final String fullName;
    private final Type result;

    NativeBody(MethodVisitor next, String fullName, Type result) {
      super(Opcodes.ASM9, next);
      this.fullName = fullName;
      this.result = result;
    }

    @Override
    public void visitEnd() {
      visitCode();
      visitLdcInsn(fullName);
      emit(this, hooks.nativeCalled());
      switch (result.getSort()) {
        case Type.VOID -> {}
        case Type.LONG -> visitInsn(Opcodes.LCONST_0);
        case Type.FLOAT -> visitInsn(Opcodes.FCONST_0);
        case Type.DOUBLE -> visitInsn(Opcodes.DCONST_0);
        case Type.OBJECT, Type.ARRAY -> visitInsn(Opcodes.ACONST_NULL);
        default -> visitInsn(Opcodes.ICONST_0);
      }
      visitInsn(result.getOpcode(Opcodes.IRETURN));
      visitMaxs(0, 0);
      super.visitEnd();
    }
  }

  /** Holds a whole method, because arguments can only be put aside once its variables are known. */
  private final class MethodRewriter extends MethodNode {
    private final MethodVisitor next;
    private final boolean ticks;
    private final Map<Label, LabelNode> labels = new HashMap<>();
    private final Set<LabelNode> passed = new HashSet<>();

    MethodRewriter(
        MethodVisitor next,
        boolean ticks,
        int access,
        String name,
        String desc,
        String signature,
        String[] thrown) {
      super(Opcodes.ASM9, access, name, desc, signature, thrown);
      this.next = next;
      this.ticks = ticks;
    }

    /** JaCoCo keeps its own notes where ASM would keep the node of a label. */
    @Override
    protected LabelNode getLabelNode(Label label) {
      return labels.computeIfAbsent(label, key -> new LabelNode());
    }

    @Override
    public void visitFrame(int type, int numLocal, Object[] local, int numStack, Object[] stack) {
      // The other classes of the app have none either.
    }

    @Override
    public void visitEnd() {
      for (AbstractInsnNode node = instructions.getFirst(); node != null; ) {
        AbstractInsnNode following = node.getNext();
        rewrite(node);
        node = following;
      }
      accept(next);
    }

    private void rewrite(AbstractInsnNode node) {
      if (node instanceof MethodInsnNode call) {
        rewriteCall(call);
      } else if (node instanceof TypeInsnNode type && type.getOpcode() == Opcodes.NEW) {
        type.desc = hooks.type(type.desc);
      } else if (node instanceof LabelNode label) {
        passed.add(label);
      } else if (ticks && jumpsBack(node)) {
        instructions.insertBefore(node, call(hooks.tick()));
      }
    }

    private boolean jumpsBack(AbstractInsnNode node) {
      if (node instanceof JumpInsnNode jump) {
        return passed.contains(jump.label);
      }
      if (node instanceof TableSwitchInsnNode table) {
        return passed.contains(table.dflt) || table.labels.stream().anyMatch(passed::contains);
      }
      if (node instanceof LookupSwitchInsnNode lookup) {
        return passed.contains(lookup.dflt) || lookup.labels.stream().anyMatch(passed::contains);
      }
      return false;
    }

    private void rewriteCall(MethodInsnNode call) {
      if (call.name.equals("<init>")) {
        rewriteConstruction(call);
        return;
      }
      passOnResult(call);
      Target target = replacement(call);
      if (target != null) {
        call.setOpcode(Opcodes.INVOKESTATIC);
        call.owner = target.owner();
        call.name = target.name();
        call.desc = target.desc();
        call.itf = false;
      } else if (call.getOpcode() == Opcodes.INVOKESTATIC
          || call.getOpcode() == Opcodes.INVOKESPECIAL) {
        call.itf = isInterface(call);
      }
    }

    /**
     * Leads the result of a call without arguments, and its receiver, to the hook that wants it.
     */
    private void passOnResult(MethodInsnNode call) {
      if (call.getOpcode() == Opcodes.INVOKESTATIC) {
        return;
      }
      for (Call rule : hooks.results(call.name, call.desc)) {
        if (rule.owner().equals(call.owner)
            || rule.subclasses() && types.isSubtype(call.owner, rule.owner())) {
          instructions.insertBefore(call, new InsnNode(Opcodes.DUP));
          instructions.insert(call, call(rule.target()));
          return;
        }
      }
    }

    private boolean isInterface(MethodInsnNode call) {
      return call.getOpcode() == Opcodes.INVOKESPECIAL
          ? types.isInheritedInterface(call.owner)
          : types.isInterface(call.owner);
    }

    private Target replacement(MethodInsnNode call) {
      for (Call rule : hooks.calls(call.name, call.desc)) {
        if (rule.takesReceiver() == (call.getOpcode() == Opcodes.INVOKESTATIC)) {
          continue;
        }
        if (rule.owner().equals(call.owner)) {
          return rule.target();
        }
        if (rule.subclasses()
            && types.isSubtype(call.owner, rule.owner())
            && !types.isOverridden(call.owner, rule.owner(), call.name, call.desc)) {
          return rule.target();
        }
      }
      boolean asksObject =
          call.getOpcode() == Opcodes.INVOKESPECIAL
              && call.owner.equals(OBJECT)
              && call.name.equals("hashCode");
      boolean asksSystem =
          call.owner.equals("java/lang/System") && call.name.equals("identityHashCode");
      return asksObject || asksSystem ? hooks.identityHash() : null;
    }

    /** Whether the variable of {@code this} is used for something else as well. */
    private boolean storesFirstVariable() {
      for (AbstractInsnNode node : instructions) {
        if (node instanceof VarInsnNode store
            && store.var == 0
            && store.getOpcode() == Opcodes.ASTORE) {
          return true;
        }
      }
      return false;
    }

    private void rewriteConstruction(MethodInsnNode call) {
      call.owner = types.constructorOwner(call.owner, call.desc);
      Type[] arguments = Type.getArgumentTypes(call.desc);
      Target first = hooks.firstArgument(call.owner, arguments);
      Target after = hooks.afterNew(call.owner, call.desc);
      boolean makesEnum =
          name.equals("<init>") && call.owner.equals("java/lang/Enum") && !storesFirstVariable();
      call.owner = hooks.type(call.owner);
      if (makesEnum && hooks.enumMade() != null) {
        InsnList told = new InsnList();
        told.add(new VarInsnNode(Opcodes.ALOAD, 0));
        told.add(call(hooks.enumMade()));
        instructions.insert(call, told);
      }
      if (first == null && after == null) {
        return;
      }
      // The object and its first argument lie below the other arguments: put those aside.
      InsnList before = new InsnList();
      int base = maxLocals;
      int kept = after != null ? 0 : 1;
      int end = base;
      for (int i = kept; i < arguments.length; i++) {
        end += arguments[i].getSize();
      }
      int variable = end;
      for (int i = arguments.length - 1; i >= kept; i--) {
        variable -= arguments[i].getSize();
        before.add(new VarInsnNode(arguments[i].getOpcode(Opcodes.ISTORE), variable));
      }
      if (after != null) {
        before.add(new InsnNode(Opcodes.DUP));
      }
      for (int i = 0; i < arguments.length; i++) {
        if (i >= kept) {
          before.add(new VarInsnNode(arguments[i].getOpcode(Opcodes.ILOAD), variable));
          variable += arguments[i].getSize();
        }
        if (i == 0 && first != null) {
          before.add(call(first));
        }
      }
      instructions.insertBefore(call, before);
      if (after != null) {
        instructions.insert(call, call(after));
      }
    }
  }
}
