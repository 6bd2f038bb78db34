package dev.fewtaps.twin.code;

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
import java.util.HashMap;
import java.util.Map;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Keeps apart the class of a new object and the class whose constructor is called on it.
 *
 * <p>R8 drops constructors that only call their parent's, and lets callers call the parent's on the
 * new object at once. DEX allows that, and so does a JVM that does not verify; but dex2jar takes
 * the class of the constructor for that of the object. So both travel through it in one made-up
 * class name.
 */
public final class ConstructorCalls {
  private static final String CONSTRUCTOR = "<init>";
  private static final String PREFIX = "fewtaps/made/";

  private ConstructorCalls() {}

  /** Makes such calls in a class name both classes, before it is translated. */
  public static void nameBoth(DexClassNode node) {
    if (node.methods != null) {
      for (DexMethodNode method : node.methods) {
        if (method.codeNode != null) {
          nameBoth(method.codeNode);
        }
      }
    }
  }

  private static void nameBoth(DexCodeNode code) {
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
        Method called = call.method;
        if (type != null && !type.equals(called.getOwner())) {
          String both = both(internal(type), internal(called.getOwner()));
          Method named =
              new Method(both, CONSTRUCTOR, called.getParameterTypes(), called.getReturnType());
          code.stmts.set(i, new MethodStmtNode(call.op, call.args, named));
        }
      } else {
        // An object not yet constructed can only be moved: any other mention is another value.
        made.remove(written(statement));
      }
    }
  }

  private static String internal(String descriptor) {
    return descriptor.substring(1, descriptor.length() - 1);
  }

  private static String both(String made, String called) {
    return "L" + PREFIX + made.length() + "/" + made + "/" + called + ";";
  }

  /** The register that a statement may write to, or -1. */
  static int written(DexStmtNode statement) {
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
        && call.method.getName().equals(CONSTRUCTOR)
        && call.args.length > 0;
  }

  /** Returns a visitor for the translated class that takes the two names apart again. */
  public static ClassVisitor takingApart(ClassVisitor next) {
    return new ClassVisitor(Opcodes.ASM9, next) {
      @Override
      public MethodVisitor visitMethod(
          int access, String name, String desc, String signature, String[] exceptions) {
        return new Separator(super.visitMethod(access, name, desc, signature, exceptions));
      }
    };
  }

  private static final class Separator extends MethodVisitor {
    Separator(MethodVisitor next) {
      super(Opcodes.ASM9, next);
    }

    @Override
    public void visitTypeInsn(int opcode, String type) {
      super.visitTypeInsn(opcode, type.startsWith(PREFIX) ? made(type) : type);
    }

    @Override
    public void visitMethodInsn(
        int opcode, String owner, String name, String desc, boolean isInterface) {
      String actual = owner.startsWith(PREFIX) ? called(owner) : owner;
      super.visitMethodInsn(opcode, actual, name, desc, isInterface);
    }

    private static String made(String both) {
      int start = both.indexOf('/', PREFIX.length()) + 1;
      return both.substring(start, start + lengthOfMade(both));
    }

    private static String called(String both) {
      int start = both.indexOf('/', PREFIX.length()) + 1;
      return both.substring(start + lengthOfMade(both) + 1);
    }

    private static int lengthOfMade(String both) {
      return Integer.parseInt(both.substring(PREFIX.length(), both.indexOf('/', PREFIX.length())));
    }
  }
}
