package dev.fewtaps.twin.code;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.LineNumberNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.analysis.Analyzer;
import org.objectweb.asm.tree.analysis.AnalyzerException;
import org.objectweb.asm.tree.analysis.BasicVerifier;

/** Finds the mutants of a translated class, and makes them. */
public final class Mutants {
  private Mutants() {}

  /** Lists the mutants of a class in the order of its code. */
  public static List<Mutant> of(byte[] bytes, Set<MutationOperator> operators) {
    ClassNode type = read(bytes);
    CompilerMade compiler = new CompilerMade(type);
    List<Mutant> found = new ArrayList<>();
    if (!compiler.isWholeClass()) {
      for (MethodNode method : type.methods) {
        CompilerMade.Sources sources = compiler.sourcesOf(method);
        if (sources != null) {
          collect(type, method, sources, operators, found);
        }
      }
    }
    return found;
  }

  private static void collect(
      ClassNode type,
      MethodNode method,
      CompilerMade.Sources sources,
      Set<MutationOperator> operators,
      List<Mutant> into) {
    String className = type.name.replace('/', '.');
    int index = -1;
    int line = 0;
    for (AbstractInsnNode node : method.instructions) {
      if (node instanceof LineNumberNode number) {
        line = number.line;
      }
      if (node.getOpcode() < 0) {
        continue;
      }
      index++;
      if (!sources.has(node)) {
        continue;
      }
      for (MutationOperator operator : operators) {
        InstructionChange change = operator.change(method, node);
        if (change != null) {
          into.add(
              new Mutant(
                  new Mutant.Place(className, method.name, method.desc, index, operator),
                  line,
                  type.sourceFile,
                  change.description(),
                  Instructions.describe(node)));
        }
      }
    }
  }

  /**
   * Returns a class with one fault in it.
   *
   * @throws IllegalArgumentException if the class has no such mutant
   * @throws NotViable if the JVM could not run the result
   */
  public static byte[] make(byte[] bytes, Mutant.Place place) throws NotViable {
    ClassNode type = read(bytes);
    MethodNode method = find(type, place);
    AbstractInsnNode node = instruction(method, place.index());
    CompilerMade.Sources sources = new CompilerMade(type).sourcesOf(method);
    if (node == null || sources == null || !sources.has(node)) {
      throw unknown(place);
    }
    for (AbstractInsnNode copy : sources.copies(method, node)) {
      InstructionChange change = place.operator().change(method, copy);
      if (change != null) {
        method.instructions.insertBefore(copy, change.replacement());
        method.instructions.remove(copy);
      } else if (copy == node) {
        throw unknown(place);
      }
    }
    ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
    try {
      type.accept(writer);
      byte[] made = writer.toByteArray();
      verify(made, place);
      return made;
    } catch (AnalyzerException | RuntimeException e) {
      throw new NotViable(place, e);
    }
  }

  /** The JVM of the twin verifies nothing, and would do anything at all with a wrong class. */
  private static void verify(byte[] made, Mutant.Place place) throws AnalyzerException {
    ClassNode type = read(made);
    new Analyzer<>(new BasicVerifier()).analyze(type.name, find(type, place));
  }

  private static ClassNode read(byte[] bytes) {
    ClassNode type = new ClassNode();
    new ClassReader(bytes).accept(type, ClassReader.SKIP_FRAMES);
    return type;
  }

  private static MethodNode find(ClassNode type, Mutant.Place place) {
    for (MethodNode method : type.methods) {
      if (method.name.equals(place.method()) && method.desc.equals(place.desc())) {
        return method;
      }
    }
    throw unknown(place);
  }

  private static AbstractInsnNode instruction(MethodNode method, int index) {
    int left = index;
    for (AbstractInsnNode node : method.instructions) {
      if (node.getOpcode() >= 0 && left-- == 0) {
        return node;
      }
    }
    return null;
  }

  private static IllegalArgumentException unknown(Mutant.Place place) {
    return new IllegalArgumentException("the app has no mutant " + place);
  }

  /** A changed class that cannot run. */
  public static final class NotViable extends Exception {
    private static final long serialVersionUID = 1;

    NotViable(Mutant.Place place, Throwable cause) {
      super(place + " cannot run: " + cause.getMessage(), cause);
    }
  }
}
