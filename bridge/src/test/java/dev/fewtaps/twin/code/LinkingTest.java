package dev.fewtaps.twin.code;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.junit.After;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/** Code as R8 leaves it, which ART links and the JVM would refuse. */
public class LinkingTest {
  private static final String OBJECT = "java/lang/Object";
  private static final int DEFAULT = Opcodes.ACC_PUBLIC;
  private static final int STATIC = Opcodes.ACC_PUBLIC | Opcodes.ACC_STATIC;

  @Rule public final TemporaryFolder folder = new TemporaryFolder();
  private AppCode code;

  @After
  public void close() throws Exception {
    if (code != null) {
      code.close();
    }
  }

  /** A class under construction. */
  private static final class Made {
    private final ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);

    Made(int access, String name, String parent, String... interfaces) {
      writer.visit(Opcodes.V1_8, access | Opcodes.ACC_PUBLIC, name, null, parent, interfaces);
    }

    Made method(int access, String name, String desc, Consumer<MethodVisitor> body) {
      MethodVisitor visitor = writer.visitMethod(access, name, desc, null, null);
      visitor.visitCode();
      body.accept(visitor);
      visitor.visitInsn(Type.getReturnType(desc).getOpcode(Opcodes.IRETURN));
      visitor.visitMaxs(0, 0);
      visitor.visitEnd();
      return this;
    }

    Made constructor(String desc, String parent) {
      return method(
          Opcodes.ACC_PUBLIC,
          "<init>",
          desc,
          visitor -> {
            visitor.visitVarInsn(Opcodes.ALOAD, 0);
            int variable = 1;
            for (Type argument : Type.getArgumentTypes(desc)) {
              visitor.visitVarInsn(argument.getOpcode(Opcodes.ILOAD), variable);
              variable += argument.getSize();
            }
            visitor.visitMethodInsn(Opcodes.INVOKESPECIAL, parent, "<init>", desc, false);
          });
    }

    byte[] bytes() {
      writer.visitEnd();
      return writer.toByteArray();
    }
  }

  private static Made type(String name, String parent, String... interfaces) {
    return new Made(0, name, parent, interfaces);
  }

  private static Made interfaceType(String name, String... parents) {
    return new Made(Opcodes.ACC_INTERFACE | Opcodes.ACC_ABSTRACT, name, OBJECT, parents);
  }

  private static Consumer<MethodVisitor> text(String value) {
    return visitor -> visitor.visitLdcInsn(value);
  }

  /** A call of an interface's method on {@code this} without dispatch. */
  private static Consumer<MethodVisitor> superCall(String owner, String name, String desc) {
    return visitor -> {
      visitor.visitVarInsn(Opcodes.ALOAD, 0);
      visitor.visitMethodInsn(Opcodes.INVOKESPECIAL, owner, name, desc, true);
    };
  }

  private Class<?> load(String name, Made... classes) throws Exception {
    byte[][] bytes = new byte[classes.length][];
    for (int i = 0; i < classes.length; i++) {
      bytes[i] = classes[i].bytes();
    }
    Path apk = new TestApk().dex(bytes).write(folder.newFile("a.apk").toPath());
    code = AppCode.open(apk, folder.newFolder().toPath());
    ClassLoader parent = getClass().getClassLoader();
    CallRewriter rewriter = new CallRewriter(HookTable.of(List.of()), code, parent);
    Transform transform = (className, translated) -> rewriter.rewrite(translated);
    return new AppClassLoader(code, parent, List.of(), transform).loadClass(name);
  }

  private static Object make(Class<?> type) throws Exception {
    return type.getConstructor().newInstance();
  }

  @Test
  public void superCallReachesAnInheritedInterface() throws Exception {
    Class<?> type =
        load(
            "a.Child",
            interfaceType("a/Named").method(DEFAULT, "name", "()Ljava/lang/String;", text("named")),
            interfaceType("a/Special", "a/Named"),
            type("a/Parent", OBJECT, "a/Special").constructor("()V", OBJECT),
            type("a/Child", "a/Parent")
                .constructor("()V", "a/Parent")
                .method(
                    DEFAULT,
                    "name",
                    "()Ljava/lang/String;",
                    superCall("a/Named", "name", "()Ljava/lang/String;")));
    assertEquals("named", type.getMethod("name").invoke(make(type)));
  }

  @Test
  public void superCallReachesAnInheritedInterfaceOfTheFramework() throws Exception {
    Class<?> type =
        load(
            "a.Bag",
            type("a/Bag", "java/util/ArrayList")
                .constructor("()V", "java/util/ArrayList")
                .method(
                    DEFAULT,
                    "stream",
                    "()Ljava/util/stream/Stream;",
                    superCall("java/util/Collection", "stream", "()Ljava/util/stream/Stream;")));
    assertEquals(0, ((List<?>) make(type)).stream().count());
  }

  @Test
  public void interfaceCallsTheDefaultOfOneItInheritsTwiceRemoved() throws Exception {
    Class<?> type =
        load(
            "a.Thing",
            interfaceType("a/Named").method(DEFAULT, "name", "()Ljava/lang/String;", text("named")),
            interfaceType("a/Special", "a/Named"),
            interfaceType("a/Rare", "a/Special")
                .method(
                    DEFAULT,
                    "name",
                    "()Ljava/lang/String;",
                    superCall("a/Named", "name", "()Ljava/lang/String;")),
            type("a/Thing", OBJECT, "a/Rare").constructor("()V", OBJECT));
    assertEquals("named", type.getMethod("name").invoke(make(type)));
  }

  @Test
  public void classWithoutSuchCallsKeepsItsInterfaces() throws Exception {
    Class<?> type =
        load(
            "a.Child",
            interfaceType("a/Named"),
            interfaceType("a/Special", "a/Named"),
            type("a/Child", OBJECT, "a/Special").constructor("()V", OBJECT));
    List<String> names = new ArrayList<>();
    Arrays.stream(type.getInterfaces()).forEach(found -> names.add(found.getName()));
    assertEquals(List.of("a.Special"), names);
  }

  private static Consumer<MethodVisitor> newWithText(String made, String called) {
    return visitor -> {
      visitor.visitTypeInsn(Opcodes.NEW, made);
      visitor.visitInsn(Opcodes.DUP);
      visitor.visitLdcInsn("why");
      visitor.visitMethodInsn(
          Opcodes.INVOKESPECIAL, called, "<init>", "(Ljava/lang/String;)V", false);
    };
  }

  @Test
  public void constructorThatWasRemovedIsTheParents() throws Exception {
    Class<?> type =
        load(
            "a.Maker",
            type("a/Parent", "java/lang/Exception"),
            type("a/Child", "a/Parent"),
            type("a/Maker", OBJECT)
                .method(STATIC, "same", "()Ljava/lang/Object;", newWithText("a/Child", "a/Child"))
                .method(STATIC, "other", "()Ljava/lang/Object;", newWithText("a/Child", "a/Parent"))
                .method(
                    STATIC,
                    "root",
                    "()Ljava/lang/Object;",
                    newWithText("a/Child", "java/lang/Exception")));
    for (String method : List.of("same", "other", "root")) {
      Object made = type.getMethod(method).invoke(null);
      assertEquals(method, "a.Child", made.getClass().getName());
      assertEquals(method, "why", ((Exception) made).getMessage());
    }
  }

  @Test
  public void constructorSkipsParentsThatHaveNone() throws Exception {
    Class<?> type =
        load(
            "a.Child",
            type("a/Top", OBJECT)
                .constructor("()V", OBJECT)
                .method(DEFAULT, "name", "()Ljava/lang/String;", text("top")),
            type("a/Parent", "a/Top"),
            type("a/Child", "a/Parent").constructor("()V", "a/Parent"));
    Object made = make(type);
    assertEquals("top", type.getMethod("name").invoke(made));
    assertTrue(type.getSuperclass().isInstance(made));
  }
}
