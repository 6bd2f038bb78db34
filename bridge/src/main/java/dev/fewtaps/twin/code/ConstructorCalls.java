package dev.fewtaps.twin.code;

import com.googlecode.d2j.DexConstants;
import com.googlecode.d2j.Method;
import com.googlecode.d2j.node.DexClassNode;
import com.googlecode.d2j.node.DexCodeNode;
import com.googlecode.d2j.node.DexMethodNode;
import com.googlecode.d2j.node.insn.ConstStmtNode;
import com.googlecode.d2j.node.insn.DexStmtNode;
import com.googlecode.d2j.node.insn.FieldStmtNode;
import com.googlecode.d2j.node.insn.MethodStmtNode;
import com.googlecode.d2j.node.insn.Stmt1RNode;
import com.googlecode.d2j.node.insn.Stmt2R1NNode;
import com.googlecode.d2j.node.insn.Stmt2RNode;
import com.googlecode.d2j.node.insn.Stmt3RNode;
import com.googlecode.d2j.node.insn.TypeStmtNode;
import com.googlecode.d2j.reader.Op;
import java.io.IOException;
import java.io.InputStream;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * Gives back the constructors that R8 takes away.
 *
 * <p>Where a constructor only calls its parent's, R8 drops it and lets callers call the parent's on the
 * new object at once. DEX allows that; dex2jar reads it as making an object of the parent's class. So
 * the calls name the class that is made, and every class has its ancestors' constructors too, with one
 * more parameter of type {@link Restored}: reflection does not find what the app does not have.
 */
public final class ConstructorCalls {
  private static final String NAME = "<init>";
  private static final String MARK = "Ldev/fewtaps/twin/code/Restored;";

  /** Looks a class of the APK up by its descriptor, without code; null for one that is not in it. */
  private final Function<String, DexClassNode> classes;

  /** What is known of the constructors of classes in the APK, by descriptor of the class. */
  private final Map<String, Known> known = new ConcurrentHashMap<>();

  private record Known(boolean present, String parent, Set<String> constructors) {}

  /** Makes one that asks {@code classes} about the classes of the APK. */
  public ConstructorCalls(Function<String, DexClassNode> classes) {
    this.classes = classes;
  }

  /** Makes the calls in a class name the classes whose objects they make. */
  public void nameClassesMade(DexClassNode node) {
    if (node.methods != null) {
      for (DexMethodNode method : node.methods) {
        if (method.codeNode != null) {
          nameClassesMade(method.codeNode);
        }
      }
    }
  }

  private void nameClassesMade(DexCodeNode code) {
    Map<Integer, String> made = new HashMap<>();
    for (int i = 0; i < code.stmts.size(); i++) {
      DexStmtNode statement = code.stmts.get(i);
      if (statement instanceof TypeStmtNode type && statement.op == Op.NEW_INSTANCE) {
        made.put(type.a, type.type);
      } else if (statement instanceof Stmt2RNode move && isObjectMove(statement.op)) {
        if (made.containsKey(move.b)) {
          made.put(move.a, made.get(move.b));
        } else {
          made.remove(move.a);
        }
      } else if (statement instanceof MethodStmtNode call && isConstructorCall(call)) {
        String type = made.remove(call.args[0]);
        if (type != null && !type.equals(call.method.getOwner()) && look(type).present) {
          Method own =
              new Method(type, NAME, call.method.getParameterTypes(), call.method.getReturnType());
          code.stmts.set(i, new MethodStmtNode(call.op, call.args, own));
        }
      } else {
        // An object not yet constructed can only be moved: any other mention is another value.
        made.remove(written(statement));
      }
    }
  }

  /** The register that a statement may write to, or -1. */
  private static int written(DexStmtNode statement) {
    if (statement instanceof TypeStmtNode type) {
      return type.a;
    } else if (statement instanceof ConstStmtNode constant) {
      return constant.a;
    } else if (statement instanceof FieldStmtNode field) {
      return field.a;
    } else if (statement instanceof Stmt1RNode one) {
      return one.a;
    } else if (statement instanceof Stmt2RNode two) {
      return two.a;
    } else if (statement instanceof Stmt2R1NNode two) {
      return two.distReg;
    } else if (statement instanceof Stmt3RNode three) {
      return three.a;
    }
    return -1;
  }

  private static boolean isObjectMove(Op op) {
    return op == Op.MOVE_OBJECT || op == Op.MOVE_OBJECT_FROM16 || op == Op.MOVE_OBJECT_16;
  }

  private static boolean isConstructorCall(MethodStmtNode call) {
    return (call.op == Op.INVOKE_DIRECT || call.op == Op.INVOKE_DIRECT_RANGE)
        && call.method.getName().equals(NAME)
        && call.args.length > 0;
  }

  /** Returns a visitor for the translated class that calls, and has, the constructors given back. */
  public ClassVisitor restoring(ClassVisitor next, DexClassNode node) {
    return new ClassVisitor(Opcodes.ASM9, next) {
      @Override
      public MethodVisitor visitMethod(
          int access, String name, String desc, String signature, String[] exceptions) {
        return new Caller(super.visitMethod(access, name, desc, signature, exceptions));
      }

      @Override
      public void visitEnd() {
        if ((node.access & DexConstants.ACC_INTERFACE) == 0 && node.superClass != null) {
          Set<String> own = look(node.className).constructors;
          for (String desc : ofAncestors(node.superClass)) {
            if (!own.contains(desc)) {
              delegate(cv, node.superClass, desc);
            }
          }
        }
        super.visitEnd();
      }
    };
  }

  private void delegate(ClassVisitor out, String parent, String desc) {
    MethodVisitor method =
        out.visitMethod(
            Opcodes.ACC_PUBLIC | Opcodes.ACC_SYNTHETIC, NAME, marked(desc), null, null);
    method.visitCode();
    method.visitVarInsn(Opcodes.ALOAD, 0);
    int slot = 1;
    for (Type type : Type.getArgumentTypes(desc)) {
      method.visitVarInsn(type.getOpcode(Opcodes.ILOAD), slot);
      slot += type.getSize();
    }
    new Caller(method)
        .visitMethodInsn(
            Opcodes.INVOKESPECIAL, parent.substring(1, parent.length() - 1), NAME, desc, false);
    method.visitInsn(Opcodes.RETURN);
    method.visitMaxs(0, 0);
    method.visitEnd();
  }

  private static String marked(String desc) {
    return desc.replace(")", MARK + ")");
  }

  /** Calls the constructor given back where a class of the APK lacks the one that is called. */
  private final class Caller extends MethodVisitor {
    Caller(MethodVisitor next) {
      super(Opcodes.ASM9, next);
    }

    @Override
    public void visitMethodInsn(
        int opcode, String owner, String name, String desc, boolean isInterface) {
      String actual = desc;
      if (opcode == Opcodes.INVOKESPECIAL && name.equals(NAME)) {
        Known type = look("L" + owner + ";");
        if (type.present && !type.constructors.contains(desc)) {
          super.visitInsn(Opcodes.ACONST_NULL);
          actual = marked(desc);
        }
      }
      super.visitMethodInsn(opcode, owner, name, actual, isInterface);
    }
  }

  private Known look(String descriptor) {
    Known found = known.get(descriptor);
    if (found == null) {
      DexClassNode node = isPlatform(descriptor) ? null : classes.apply(descriptor);
      Set<String> constructors = new LinkedHashSet<>();
      if (node != null && node.methods != null) {
        for (DexMethodNode method : node.methods) {
          if (method.method.getName().equals(NAME)) {
            constructors.add(method.method.getDesc());
          }
        }
      }
      found = new Known(node != null, node == null ? null : node.superClass, constructors);
      known.put(descriptor, found);
    }
    return found;
  }

  /** D8 packs empty stand-ins for newer framework classes; where the phone has the class, it wins. */
  private static boolean isPlatform(String descriptor) {
    return (descriptor.startsWith("Landroid/") || descriptor.startsWith("Ljava/"))
        && ClassLoader.getSystemResource(descriptor.substring(1, descriptor.length() - 1) + ".class")
            != null;
  }

  /** The constructors of a class and of those above it. */
  private Set<String> ofAncestors(String descriptor) {
    Set<String> all = new LinkedHashSet<>();
    Set<String> seen = new LinkedHashSet<>();
    for (String type = descriptor; type != null && seen.add(type); type = look(type).parent) {
      if (!look(type).present) {
        all.addAll(ofPlatform(type));
        break;
      }
      all.addAll(look(type).constructors);
    }
    return all;
  }

  /** The constructors of a class of Android or Java, which is on our own class path. */
  private static Set<String> ofPlatform(String descriptor) {
    Set<String> found = new LinkedHashSet<>();
    String file = descriptor.substring(1, descriptor.length() - 1) + ".class";
    try (InputStream in = ClassLoader.getSystemResourceAsStream(file)) {
      if (in != null) {
        new ClassReader(in).accept(new Lister(found), ClassReader.SKIP_CODE);
      }
    } catch (IOException e) {
      return found; // As for a class that is not there: nothing can be given back.
    }
    return found;
  }

  private static final class Lister extends ClassVisitor {
    private final Set<String> found;

    Lister(Set<String> found) {
      super(Opcodes.ASM9);
      this.found = found;
    }

    @Override
    public MethodVisitor visitMethod(
        int access, String name, String desc, String signature, String[] exceptions) {
      if (name.equals(NAME) && (access & (Opcodes.ACC_PRIVATE | Opcodes.ACC_SYNTHETIC)) == 0) {
        found.add(desc);
      }
      return null;
    }
  }
}
