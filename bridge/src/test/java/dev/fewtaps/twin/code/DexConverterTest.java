package dev.fewtaps.twin.code;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;
import static org.junit.Assert.fail;

import dev.fewtaps.twin.code.DexConverter.Converted;
import dev.fewtaps.twin.code.fixture.AsksForAbsent;
import dev.fewtaps.twin.code.fixture.Covered;
import dev.fewtaps.twin.code.fixture.Modern;
import dev.fewtaps.twin.code.fixture.Shapes;
import java.lang.annotation.Annotation;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.Test;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

public class DexConverterTest {
  private static final String SHAPES = "dev/fewtaps/twin/code/fixture/Shapes";

  private static DexConverter shapes() throws Exception {
    TestApk apk =
        new TestApk()
            .dex(
                Shapes.class,
                Shapes.Mark.class,
                Shapes.Greeter.class,
                Shapes.Inner.class,
                Class.forName(Shapes.class.getName() + "$1"));
    return new DexConverter(List.of(apk.content("classes.dex")));
  }

  private static Class<?> load(DexConverter converter, String name) throws Exception {
    ClassLoader loader =
        new ClassLoader(null) {
          @Override
          protected Class<?> findClass(String dotted) throws ClassNotFoundException {
            String internal = dotted.replace('.', '/');
            if (!converter.classNames().contains(internal)) {
              throw new ClassNotFoundException(dotted);
            }
            byte[] bytes = withInterfaceCalls(converter, converter.convert(internal).bytes());
            return defineClass(dotted, bytes, 0, bytes.length);
          }
        };
    return Class.forName(name.replace('/', '.'), true, loader);
  }

  /** The rewriter marks calls of interface methods when a class is loaded; here it is not used. */
  private static byte[] withInterfaceCalls(DexConverter converter, byte[] bytes) {
    ClassWriter writer = new ClassWriter(0);
    new ClassReader(bytes)
        .accept(
            new org.objectweb.asm.ClassVisitor(Opcodes.ASM9, writer) {
              @Override
              public MethodVisitor visitMethod(
                  int access, String name, String desc, String signature, String[] thrown) {
                return new MethodVisitor(
                    Opcodes.ASM9, super.visitMethod(access, name, desc, signature, thrown)) {
                  @Override
                  public void visitMethodInsn(
                      int op, String owner, String m, String d, boolean itf) {
                    DexConverter.ClassHead head = converter.head(owner);
                    super.visitMethodInsn(
                        op, owner, m, d, itf || head != null && head.isInterface());
                  }
                };
              }
            },
            0);
    return writer.toByteArray();
  }

  @Test
  public void keepsLinesAndSourceFile() throws Exception {
    Class<?> shapes = load(shapes(), SHAPES);
    Object instance = shapes.getConstructor().newInstance();
    try {
      shapes.getMethod("fail", int[].class).invoke(instance, new int[1]);
      fail("no exception");
    } catch (InvocationTargetException e) {
      StackTraceElement top = e.getCause().getStackTrace()[0];
      assertEquals("Shapes.java", top.getFileName());
      assertTrue("line " + top.getLineNumber(), top.getLineNumber() > 60);
    }
  }

  @Test
  public void aClassThatIsNotThereIsNamedInsideItsTryBlock() throws Exception {
    TestApk apk = new TestApk().dex(AsksForAbsent.class);
    DexConverter converter = new DexConverter(List.of(apk.content("classes.dex")));
    Class<?> asks = load(converter, AsksForAbsent.class.getName().replace('.', '/'));
    assertEquals("absent", asks.getMethod("compare", Object.class).invoke(null, "x"));
  }

  @Test
  public void keepsTryBlocks() throws Exception {
    TestApk apk = new TestApk().dex(Covered.class);
    DexConverter converter = new DexConverter(List.of(apk.content("classes.dex")));
    Class<?> covered = load(converter, "dev/fewtaps/twin/code/fixture/Covered");
    Method guarded = covered.getMethod("guarded", String.class);
    Object instance = covered.getConstructor().newInstance();
    assertEquals("x", guarded.invoke(instance, " x "));
    assertEquals("null", guarded.invoke(instance, (Object) null));
  }

  @Test
  public void keepsGenericSignatures() throws Exception {
    Class<?> shapes = load(shapes(), SHAPES);
    Field table = shapes.getField("table");
    assertEquals(
        "java.util.Map<java.lang.String, java.util.List<java.lang.Integer>>",
        table.getGenericType().getTypeName());
    assertEquals("T", shapes.getMethod("size", int.class).getTypeParameters()[0].getName());
  }

  @Test
  public void keepsAnnotationsAndTheirDefaults() throws Exception {
    Class<?> shapes = load(shapes(), SHAPES);
    Annotation mark = shapes.getAnnotations()[0];
    assertEquals("outer", mark.annotationType().getMethod("value").invoke(mark));
    Method size = shapes.getMethod("size", int.class);
    Annotation onMethod = size.getAnnotations()[0];
    assertArrayEquals(
        new int[] {7}, (int[]) onMethod.annotationType().getMethod("numbers").invoke(onMethod));
    Annotation onParameter = size.getParameterAnnotations()[0][0];
    assertEquals("parameter", onParameter.annotationType().getMethod("value").invoke(onParameter));
  }

  @Test
  public void keepsInnerClassesAndWhatIsSynthetic() throws Exception {
    Class<?> shapes = load(shapes(), SHAPES);
    assertEquals(3, shapes.getDeclaredClasses().length);
    Class<?> inner =
        Arrays.stream(shapes.getDeclaredClasses())
            .filter(type -> type.getSimpleName().equals("Inner"))
            .findFirst()
            .orElseThrow();
    assertEquals(shapes, inner.getEnclosingClass());
    assertTrue(inner.getDeclaredField("this$0").isSynthetic());
    Object anonymous = shapes.getMethod("anonymous").invoke(shapes.getConstructor().newInstance());
    assertTrue(anonymous.getClass().isAnonymousClass());
    assertEquals("", anonymous.getClass().getSimpleName());
    assertEquals("anonymous", anonymous.getClass().getEnclosingMethod().getName());
  }

  @Test
  public void innerClassWithoutItsOuterStandsAlone() throws Exception {
    TestApk apk = new TestApk().dex(Shapes.class).dex(Shapes.Inner.class, Shapes.Greeter.class);
    DexConverter alone = new DexConverter(List.of(apk.content("classes2.dex")));
    assertEquals("Shapes$Inner", load(alone, SHAPES + "$Inner").getSimpleName());
    DexConverter halves = new DexConverter(List.of(apk.content("classes.dex")));
    assertEquals(0, load(halves, SHAPES).getDeclaredClasses().length);
  }

  @Test
  public void runsMethodsOfInterfaces() throws Exception {
    Class<?> shapes = load(shapes(), SHAPES);
    Object greeting = shapes.getMethod("greet").invoke(shapes.getConstructor().newInstance());
    assertEquals("HELLO INNER OF 3", greeting);
  }

  /**
   * As an app for Android 14 and later has it, which knows records and bootstrap methods itself.
   */
  @Test
  public void runsRecordsSealedTypesAndMethodHandles() throws Exception {
    Path folder = Path.of(Modern.class.getResource("Modern.class").toURI()).getParent();
    List<byte[]> classes = new java.util.ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "Modern*.class")) {
      for (Path file : files) {
        classes.add(Files.readAllBytes(file));
      }
    }
    TestApk apk = new TestApk().minApi(34).dex(classes.toArray(new byte[0][]));
    DexConverter converter = new DexConverter(List.of(apk.content("classes.dex")));
    String name = Modern.class.getName().replace('.', '/');
    assertEquals(List.of(), converter.convert(name).notes());
    Object found = load(converter, name).getMethod("all").invoke(null);
    assertEquals(Modern.all(), found);
  }

  @Test
  public void givesTheSameBytesInEveryThread() throws Exception {
    DexConverter converter =
        new DexConverter(
            List.of(
                new TestApk().dex(MethodFlow.class, StackCleaner.class).content("classes.dex")));
    String name = "dev/fewtaps/twin/code/StackCleaner";
    byte[] first = converter.convert(name).bytes();
    for (int noise = 1; noise < 20; noise++) {
      int calls = noise;
      byte[][] again = new byte[1][];
      Thread thread =
          new Thread(
              () -> {
                for (int i = 0; i < calls; i++) {
                  System.identityHashCode(new Object());
                }
                again[0] = converter.convert(name).bytes();
              });
      thread.start();
      thread.join();
      assertArrayEquals(first, again[0]);
    }
  }

  @Test
  public void replacesOnlyTheMethodThatCannotBeTranslated() throws Exception {
    TestApk apk = new TestApk().dex(Shapes.class);
    byte[] dex = apk.content("classes.dex");
    breakCodeOf(dex);
    DexConverter converter = new DexConverter(List.of(dex));
    Converted converted = converter.convert(SHAPES);
    assertNotNull(converted.bytes());
    assertFalse(converted.notes().isEmpty());
    String note = converted.notes().get(0);
    assertTrue(note, note.startsWith("method " + SHAPES.replace('/', '.') + "."));
    assertTrue(note, note.endsWith("could not be translated"));
    assertTrue(methodNames(converted.bytes()).contains("greet"));
  }

  /** Makes the first code item claim more registers for its arguments than it has at all. */
  private static void breakCodeOf(byte[] dex) {
    java.nio.ByteBuffer in = java.nio.ByteBuffer.wrap(dex).order(java.nio.ByteOrder.LITTLE_ENDIAN);
    int map = in.getInt(52);
    for (int i = 0, n = in.getInt(map); i < n; i++) {
      int item = map + 4 + 12 * i;
      if (in.getShort(item) == 0x2001) {
        int code = in.getInt(item + 8);
        in.putShort(code, (short) 0);
        in.putShort(code + 16, (short) 0x3e3e);
      }
    }
  }

  private static final int VALUES = 3000;

  /** As in a list of all icons of a library: a register for each, and one array for all. */
  private static DexConverter icons(boolean dividing) throws Exception {
    ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
    writer.visit(Opcodes.V1_8, Opcodes.ACC_PUBLIC, "a/Icons", null, "java/lang/Object", null);
    writer.visitField(Opcodes.ACC_STATIC, "known", "[Ljava/lang/Object;", null, null);
    MethodVisitor huge =
        writer.visitMethod(
            Opcodes.ACC_PUBLIC | Opcodes.ACC_STATIC, "all", "(JFI)[Ljava/lang/Object;", null, null);
    huge.visitCode();
    Label begin = new Label();
    huge.visitFieldInsn(Opcodes.GETSTATIC, "a/Icons", "known", "[Ljava/lang/Object;");
    huge.visitJumpInsn(Opcodes.IFNULL, begin);
    huge.visitFieldInsn(Opcodes.GETSTATIC, "a/Icons", "known", "[Ljava/lang/Object;");
    huge.visitInsn(Opcodes.ARETURN);
    huge.visitLabel(begin);
    for (int i = 0; i < VALUES; i++) {
      switch (i % 3) {
        case 0 -> {
          huge.visitVarInsn(Opcodes.LLOAD, 0);
          box(huge, "java/lang/Long", "(J)Ljava/lang/Long;");
        }
        case 1 -> {
          huge.visitVarInsn(Opcodes.FLOAD, 2);
          box(huge, "java/lang/Float", "(F)Ljava/lang/Float;");
        }
        default -> {
          huge.visitIntInsn(Opcodes.SIPUSH, i);
          box(huge, "java/lang/Integer", "(I)Ljava/lang/Integer;");
        }
      }
      huge.visitVarInsn(Opcodes.ASTORE, 4 + i);
    }
    if (dividing) {
      huge.visitIntInsn(Opcodes.SIPUSH, VALUES);
      huge.visitVarInsn(Opcodes.ILOAD, 3);
      huge.visitInsn(Opcodes.IDIV);
    } else {
      huge.visitIntInsn(Opcodes.SIPUSH, VALUES);
    }
    huge.visitTypeInsn(Opcodes.ANEWARRAY, "java/lang/Object");
    for (int i = 0; i < VALUES; i++) {
      huge.visitInsn(Opcodes.DUP);
      huge.visitIntInsn(Opcodes.SIPUSH, i);
      huge.visitVarInsn(Opcodes.ALOAD, 4 + i);
      huge.visitInsn(Opcodes.AASTORE);
    }
    huge.visitInsn(Opcodes.DUP);
    huge.visitFieldInsn(Opcodes.PUTSTATIC, "a/Icons", "known", "[Ljava/lang/Object;");
    huge.visitInsn(Opcodes.ARETURN);
    huge.visitMaxs(0, 0);
    MethodVisitor small =
        writer.visitMethod(Opcodes.ACC_PUBLIC | Opcodes.ACC_STATIC, "few", "()I", null, null);
    small.visitCode();
    small.visitInsn(Opcodes.ICONST_3);
    small.visitInsn(Opcodes.IRETURN);
    small.visitMaxs(1, 0);
    writer.visitEnd();
    TestApk apk = new TestApk().dex(writer.toByteArray());
    return new DexConverter(List.of(apk.content("classes.dex")));
  }

  private static void box(MethodVisitor visitor, String type, String desc) {
    visitor.visitMethodInsn(Opcodes.INVOKESTATIC, type, "valueOf", desc, false);
  }

  @Test
  public void methodWithThousandsOfRegistersIsTranslatedInParts() throws Exception {
    DexConverter converter = icons(false);
    assertEquals(List.of(), converter.convert("a/Icons").notes());
    Class<?> type = load(converter, "a/Icons");
    Method all = type.getMethod("all", long.class, float.class, int.class);
    Object[] made = (Object[]) all.invoke(null, 1L << 40, 0.5f, 1);
    for (int i = 0; i < VALUES; i++) {
      Object expected = List.of(1L << 40, 0.5f, i).get(i % 3);
      assertEquals(expected, made[i]);
    }
    assertEquals(made, all.invoke(null, 0L, 0f, 1));
  }

  @Test
  public void hugeMethodThatCannotBeTranslatedCostsItsClassNothingElse() throws Exception {
    DexConverter converter = icons(true);
    assertEquals(
        List.of("method a.Icons.all(long, float, int) could not be translated"),
        converter.convert("a/Icons").notes());
    Class<?> type = load(converter, "a/Icons");
    assertEquals(3, type.getMethod("few").invoke(null));
    Method all = type.getMethod("all", long.class, float.class, int.class);
    InvocationTargetException e =
        assertThrows(InvocationTargetException.class, () -> all.invoke(null, 0L, 0f, 1));
    assertTrue(
        e.getCause().toString(),
        e.getCause().getMessage().endsWith("could not be translated from DEX"));
  }

  private static List<String> methodNames(byte[] bytes) {
    List<String> names = new java.util.ArrayList<>();
    new ClassReader(bytes)
        .accept(
            new org.objectweb.asm.ClassVisitor(Opcodes.ASM9) {
              @Override
              public MethodVisitor visitMethod(
                  int access, String name, String desc, String signature, String[] thrown) {
                names.add(name);
                return null;
              }
            },
            0);
    return names;
  }

  @Test
  public void keepsNamesThatOnlyObfuscatorsGive() throws Exception {
    ClassWriter writer = new ClassWriter(0);
    writer.visit(Opcodes.V1_8, Opcodes.ACC_PUBLIC, "a/a", null, "java/lang/Object", null);
    MethodVisitor method =
        writer.visitMethod(Opcodes.ACC_PUBLIC | Opcodes.ACC_STATIC, "-$$a-b", "()I", null, null);
    method.visitCode();
    method.visitInsn(Opcodes.ICONST_3);
    method.visitInsn(Opcodes.IRETURN);
    method.visitMaxs(1, 0);
    writer.visitEnd();
    byte[] outer = writer.toByteArray();
    ClassWriter below = new ClassWriter(0);
    below.visit(Opcodes.V1_8, Opcodes.ACC_PUBLIC, "a/a/b", null, "java/lang/Object", null);
    below.visitEnd();
    ClassWriter upper = new ClassWriter(0);
    upper.visit(Opcodes.V1_8, Opcodes.ACC_PUBLIC, "a/A", null, "java/lang/Object", null);
    upper.visitEnd();
    TestApk apk = new TestApk().dex(outer, below.toByteArray(), upper.toByteArray());
    DexConverter converter = new DexConverter(List.of(apk.content("classes.dex")));
    assertEquals(3, converter.classNames().size());
    Class<?> type = load(converter, "a/a");
    assertEquals(3, type.getMethod("-$$a-b").invoke(null));
    assertEquals("a.a.b", load(converter, "a/a/b").getName());
  }

  @Test
  public void firstDexFileWins() throws Exception {
    TestApk apk = new TestApk().dex(Shapes.class).dex(Shapes.class, Shapes.Inner.class);
    DexConverter converter =
        new DexConverter(List.of(apk.content("classes.dex"), apk.content("classes2.dex")));
    assertEquals(List.of(SHAPES, SHAPES + "$Inner"), converter.classNames());
    assertNotNull(converter.convert(SHAPES + "$Inner").bytes());
  }
}
