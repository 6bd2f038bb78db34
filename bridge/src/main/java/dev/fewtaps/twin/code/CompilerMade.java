package dev.fewtaps.twin.code;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jacoco.core.internal.analysis.filter.Filters;
import org.jacoco.core.internal.analysis.filter.IFilter;
import org.jacoco.core.internal.analysis.filter.IFilterContext;
import org.jacoco.core.internal.analysis.filter.IFilterOutput;
import org.jacoco.core.internal.analysis.filter.KotlinSMAP;
import org.jacoco.core.internal.analysis.filter.Replacements;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.AnnotationNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.JumpInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;

/**
 * Tells the code that a compiler added from the code that stands in the sources of a class.
 *
 * <p>JaCoCo's filters know most of it: the methods of enums and records, switches over texts,
 * try-with-resources, and copies of finally blocks, which count as one.
 */
final class CompilerMade {
  private static final String KOTLIN_CHECKS = "kotlin/jvm/internal/Intrinsics";

  private final ClassNode type;
  private final IFilter filters = Filters.all();
  private final IFilterContext context = new Context();

  CompilerMade(ClassNode type) {
    this.type = type;
  }

  /** Whether the sources have nothing of the class: tables of switches, and what D8 made up. */
  boolean isWholeClass() {
    boolean isSynthetic = type.sourceFile != null && type.sourceFile.endsWith("$$SyntheticClass");
    return isSynthetic
        || type.name.contains("$$ExternalSynthetic")
        || type.name.contains("-$$Lambda$")
        || type.fields.stream().anyMatch(field -> field.name.startsWith("$SwitchMap$"));
  }

  /** Returns a method's code as its sources have it, or null if they have nothing of it. */
  Sources sourcesOf(MethodNode method) {
    // The bodies of lambdas are methods that the compiler named and the sources contain.
    boolean isBody = method.name.contains("lambda$") || method.name.contains("$lambda-");
    boolean isMade =
        method.name.startsWith("$r8$")
            || ((method.access & (Opcodes.ACC_SYNTHETIC | Opcodes.ACC_BRIDGE)) != 0 && !isBody);
    if (method.instructions.size() == 0 || isMade || method.name.startsWith("access$")) {
      return null;
    }
    Sources sources = new Sources();
    filters.filter(method, context, sources);
    for (AbstractInsnNode node : method.instructions) {
      if (isCheck(node)) {
        sources.left.add(node);
      }
    }
    return sources;
  }

  private static boolean isCheck(AbstractInsnNode node) {
    if (node instanceof MethodInsnNode call) {
      return call.owner.equals(KOTLIN_CHECKS);
    }
    // The test of an assert statement, whether assertions are on.
    return node instanceof JumpInsnNode
        && Instructions.previous(node) instanceof FieldInsnNode field
        && field.name.equals("$assertionsDisabled");
  }

  /** The instructions of one method that count. */
  static final class Sources implements IFilterOutput {
    private final Set<AbstractInsnNode> left = new HashSet<>();
    private final Map<AbstractInsnNode, AbstractInsnNode> mergedInto = new HashMap<>();

    /** Whether an instruction stands in the sources, and is no copy of another. */
    boolean has(AbstractInsnNode node) {
      return !left.contains(node) && !mergedInto.containsKey(node);
    }

    /**
     * The instruction and all its copies: a finally block has one for each way that leads to it.
     */
    List<AbstractInsnNode> copies(MethodNode method, AbstractInsnNode node) {
      List<AbstractInsnNode> all = new ArrayList<>();
      for (AbstractInsnNode other : method.instructions) {
        if (original(other) == node) {
          all.add(other);
        }
      }
      return all;
    }

    private AbstractInsnNode original(AbstractInsnNode node) {
      AbstractInsnNode first = node;
      while (mergedInto.containsKey(first)) {
        first = mergedInto.get(first);
      }
      return first;
    }

    @Override
    public void ignore(AbstractInsnNode from, AbstractInsnNode to) {
      for (AbstractInsnNode node = from; node != to; node = node.getNext()) {
        left.add(node);
      }
      left.add(to);
    }

    @Override
    public void merge(AbstractInsnNode first, AbstractInsnNode second) {
      AbstractInsnNode into = original(first);
      AbstractInsnNode from = original(second);
      if (into != from) {
        mergedInto.put(from, into);
      }
    }

    @Override
    public void replaceBranches(AbstractInsnNode source, Replacements replacements) {
      // The instructions of such a switch are ignored one by one.
    }
  }

  private final class Context implements IFilterContext {
    @Override
    public String getClassName() {
      return type.name;
    }

    @Override
    public String getSuperClassName() {
      return type.superName;
    }

    @Override
    public Set<String> getClassAnnotations() {
      Set<String> names = new HashSet<>();
      Stream.of(type.visibleAnnotations, type.invisibleAnnotations)
          .filter(list -> list != null)
          .flatMap(List<AnnotationNode>::stream)
          .forEach(annotation -> names.add(annotation.desc));
      return names;
    }

    @Override
    public Set<String> getClassAttributes() {
      Set<String> names = new HashSet<>();
      if (type.attrs != null) {
        type.attrs.forEach(attribute -> names.add(attribute.type));
      }
      return names;
    }

    @Override
    public int getClassAccess() {
      return type.access;
    }

    @Override
    public String getSourceFileName() {
      return type.sourceFile;
    }

    @Override
    public KotlinSMAP getKotlinSMAP() {
      return null;
    }
  }
}
