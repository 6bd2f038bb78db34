package dev.fewtaps.twin.code;

import java.io.IOException;
import java.io.InputStream;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.FieldVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * Loads dex2jar so that it gives the same result each time.
 *
 * <p>It walks through hash tables of objects that have the JVM's hash codes, which differ from run
 * to run; here they get hash codes from a {@link Sequence}.
 */
final class RepeatableLoader extends ClassLoader {
  private static final String DRIVER = RepeatableLoader.class.getPackageName() + ".DexTranslator";
  private static final String HELPER =
      RepeatableLoader.class.getPackageName() + ".ConstructorCalls";
  private static final String PARTED = RepeatableLoader.class.getPackageName() + ".PartedMethod";
  private static final String FIELD = "$fewtaps$hash";

  static {
    registerAsParallelCapable();
  }

  RepeatableLoader(ClassLoader parent) {
    super("dex2jar", parent);
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    boolean ours =
        name.startsWith("com.googlecode.")
            || name.startsWith(HELPER)
            || name.startsWith(PARTED)
            || name.equals(DRIVER)
            || name.startsWith(DRIVER + "$");
    if (!ours) {
      return super.loadClass(name, resolve);
    }
    synchronized (getClassLoadingLock(name)) {
      Class<?> type = findLoadedClass(name);
      return type != null ? type : define(name);
    }
  }

  private Class<?> define(String name) throws ClassNotFoundException {
    try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
      if (in == null) {
        throw new ClassNotFoundException(name);
      }
      ClassReader reader = new ClassReader(in);
      ClassWriter writer = new ClassWriter(reader, 0);
      reader.accept(new HashAdder(writer), 0);
      byte[] bytes = writer.toByteArray();
      return defineClass(name, bytes, 0, bytes.length, getClass().getProtectionDomain());
    } catch (IOException e) {
      throw new ClassNotFoundException(name, e);
    }
  }

  /** Gives a class that has the JVM's hash code another one. */
  private static final class HashAdder extends ClassVisitor {
    private String owner;
    private boolean needsHash;

    HashAdder(ClassVisitor next) {
      super(Opcodes.ASM9, next);
    }

    @Override
    public void visit(
        int version,
        int access,
        String name,
        String signature,
        String parent,
        String[] interfaces) {
      owner = name;
      needsHash = (access & Opcodes.ACC_INTERFACE) == 0 && "java/lang/Object".equals(parent);
      super.visit(version, access, name, signature, parent, interfaces);
    }

    @Override
    public MethodVisitor visitMethod(
        int access, String name, String desc, String signature, String[] exceptions) {
      needsHash &= !(name.equals("hashCode") && desc.equals("()I"));
      return super.visitMethod(access, name, desc, signature, exceptions);
    }

    @Override
    public void visitEnd() {
      if (needsHash) {
        FieldVisitor field = super.visitField(Opcodes.ACC_PRIVATE, FIELD, "I", null, null);
        field.visitEnd();
        MethodVisitor method = super.visitMethod(Opcodes.ACC_PUBLIC, "hashCode", "()I", null, null);
        method.visitCode();
        method.visitVarInsn(Opcodes.ALOAD, 0);
        method.visitVarInsn(Opcodes.ALOAD, 0);
        method.visitFieldInsn(Opcodes.GETFIELD, owner, FIELD, "I");
        method.visitMethodInsn(
            Opcodes.INVOKESTATIC, Type.getInternalName(Sequence.class), "orNext", "(I)I", false);
        method.visitInsn(Opcodes.DUP_X1);
        method.visitFieldInsn(Opcodes.PUTFIELD, owner, FIELD, "I");
        method.visitInsn(Opcodes.IRETURN);
        method.visitMaxs(3, 1);
        method.visitEnd();
      }
      super.visitEnd();
    }
  }
}
