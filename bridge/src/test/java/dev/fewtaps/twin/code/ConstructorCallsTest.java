package dev.fewtaps.twin.code;

import static org.junit.Assert.assertEquals;

import java.util.List;
import org.junit.Test;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

public class ConstructorCallsTest {

  @Test
  public void objectMadeThroughItsParentsConstructor_hasItsOwnClass() throws Exception {
    assertEquals("t.Child", classMade("t/Child", "java/lang/Object"));
  }

  @Test
  public void objectMadeThroughItsOwnConstructor_isLeftAlone() throws Exception {
    assertEquals("java.util.ArrayList", classMade("java/util/ArrayList", "java/util/ArrayList"));
  }

  /**
   * Translates a method that makes an object of one class by the constructor of another, and runs
   * it.
   */
  private static String classMade(String made, String constructed) throws Exception {
    TestApk apk = new TestApk().dex(childWithoutConstructor(), maker(made, constructed));
    DexConverter converter = new DexConverter(List.of(apk.content("classes.dex")));
    ClassLoader loader =
        new ClassLoader(null) {
          @Override
          protected Class<?> findClass(String name) {
            byte[] bytes = converter.convert(name.replace('.', '/')).bytes();
            return defineClass(name, bytes, 0, bytes.length);
          }
        };
    Object object = loader.loadClass("t.Maker").getMethod("make").invoke(null);
    return object.getClass().getName();
  }

  private static byte[] childWithoutConstructor() {
    ClassWriter writer = new ClassWriter(0);
    writer.visit(Opcodes.V1_8, Opcodes.ACC_PUBLIC, "t/Child", null, "java/lang/Object", null);
    writer.visitEnd();
    return writer.toByteArray();
  }

  private static byte[] maker(String made, String constructed) {
    ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
    writer.visit(Opcodes.V1_8, Opcodes.ACC_PUBLIC, "t/Maker", null, "java/lang/Object", null);
    MethodVisitor method =
        writer.visitMethod(
            Opcodes.ACC_PUBLIC | Opcodes.ACC_STATIC, "make", "()Ljava/lang/Object;", null, null);
    method.visitCode();
    method.visitTypeInsn(Opcodes.NEW, made);
    method.visitInsn(Opcodes.DUP);
    method.visitMethodInsn(Opcodes.INVOKESPECIAL, constructed, "<init>", "()V", false);
    method.visitInsn(Opcodes.ARETURN);
    method.visitMaxs(0, 0);
    method.visitEnd();
    writer.visitEnd();
    return writer.toByteArray();
  }
}
