package dev.fewtaps.twin.code;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import dev.fewtaps.twin.code.DexConverter.References;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

public class ShrunkClassesTest {
  private static final String CHECKER = "p3/i";

  @Rule public final TemporaryFolder folder = new TemporaryFolder();
  private final Map<String, References> graph = new LinkedHashMap<>();

  private void add(String name, Set<String> shape, Set<String> code) {
    graph.put(name, new References(shape, code, Set.of(), false));
  }

  private void addChecked(String name, Set<String> code) {
    graph.put(name, new References(Set.of(), code, Set.of(CHECKER), false));
  }

  private Set<String> find() {
    Manifest manifest = new Manifest("com.example.shop", List.of("com.example.shop.MainActivity"));
    AppPackages packages = AppPackages.of(manifest, graph.keySet());
    return new TreeSet<>(ShrunkClasses.find(graph.keySet(), packages, graph::get));
  }

  @Test
  public void shortNamesAreTakenForRenamed() {
    assertTrue(ShrunkClasses.isRenamed("a"));
    assertTrue(ShrunkClasses.isRenamed("w1.z1"));
    assertTrue(ShrunkClasses.isRenamed("w1.z1$a"));
    assertFalse(ShrunkClasses.isRenamed("com.example.a"));
    assertFalse(ShrunkClasses.isRenamed("a.Main"));
  }

  @Test
  public void appWithFewRenamedClassesIsNotShrunk() {
    assertFalse(ShrunkClasses.isShrunk(List.of("com.a.Main", "com.a.One", "com.a.Two", "a.b")));
    assertTrue(ShrunkClasses.isShrunk(List.of("com.a.Main", "com.a.One", "a.b", "a.c")));
    assertFalse(ShrunkClasses.isShrunk(List.of()));
  }

  @Test
  public void whatLibrariesAreMadeOfIsTheirs() {
    add("com.example.shop.MainActivity", Set.of("b1/a"), Set.of("c1/a", "d1/a"));
    add("androidx.core.Kept", Set.of("b1/a"), Set.of());
    add("b1.a", Set.of("b1/b"), Set.of());
    add("b1.b", Set.of(), Set.of());
    add("b1.c", Set.of(), Set.of());
    add("c1.a", Set.of("b1/c"), Set.of("c1/b"));
    add("c1.b", Set.of(), Set.of());
    add("c1.z", Set.of(), Set.of());
    add("d1.a", Set.of(), Set.of());
    // A class that R8 merged out of parts of both mentions the app in its code only.
    add("d1.b", Set.of("androidx/core/Kept"), Set.of("c1/b"));
    assertEquals(Set.of("c1.a", "c1.b", "d1.a"), find());
  }

  @Test
  public void packagesWithoutChecksOfParametersAreLeftOutWhereThereAreChecks() {
    graph.put("p3.i", new References(Set.of(), Set.of(), Set.of(), true));
    Set<String> mentioned = new TreeSet<>();
    for (int i = 0; i < 6; i++) {
      String app = "c1/a" + i;
      String google = "k0/a" + i;
      mentioned.addAll(List.of(app, google));
      addChecked(app.replace('/', '.'), Set.of());
      add(google.replace('/', '.'), Set.of(), Set.of());
    }
    add("c1.b", Set.of(), Set.of());
    mentioned.add("c1/b");
    add("com.example.shop.MainActivity", Set.of(), mentioned);
    assertEquals(Set.of("c1.a0", "c1.a1", "c1.a2", "c1.a3", "c1.a4", "c1.a5", "c1.b"), find());
  }

  private static byte[] type(String name, String called) {
    ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
    writer.visit(Opcodes.V1_8, Opcodes.ACC_PUBLIC, name, null, "java/lang/Object", null);
    MethodVisitor method =
        writer.visitMethod(Opcodes.ACC_PUBLIC | Opcodes.ACC_STATIC, "run", "()V", null, null);
    method.visitCode();
    if (called != null) {
      method.visitMethodInsn(Opcodes.INVOKESTATIC, called, "run", "()V", false);
    }
    method.visitInsn(Opcodes.RETURN);
    method.visitMaxs(0, 0);
    writer.visitEnd();
    return writer.toByteArray();
  }

  @Test
  public void coverageFollowsTheAppIntoRenamedPackages() throws Exception {
    Path apk =
        new TestApk()
            .dex(type("Main", "a/a"), type("a/a", null), type("a/b", null))
            .write(folder.newFile("a.apk").toPath());
    Path cache = folder.newFolder().toPath();
    // The second time they are read from disk.
    for (int i = 0; i < 2; i++) {
      try (AppCode code = AppCode.open(apk, cache)) {
        assertEquals(List.of("Main", "a.a"), code.appClassNames());
      }
    }
  }
}
