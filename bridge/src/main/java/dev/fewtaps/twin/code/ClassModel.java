package dev.fewtaps.twin.code;

import dev.fewtaps.twin.code.MethodFlow.Outcome;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jacoco.core.analysis.ISourceNode;
import org.jacoco.core.internal.analysis.filter.Filters;
import org.jacoco.core.internal.analysis.filter.IFilter;
import org.jacoco.core.internal.analysis.filter.IFilterContext;
import org.jacoco.core.internal.analysis.filter.KotlinSMAP;
import org.jacoco.core.internal.flow.ClassProbesAdapter;
import org.jacoco.core.internal.flow.ClassProbesVisitor;
import org.jacoco.core.internal.flow.MethodProbesVisitor;
import org.objectweb.asm.AnnotationVisitor;
import org.objectweb.asm.Attribute;
import org.objectweb.asm.ClassReader;

/**
 * The lines, branches and methods of one class, in an order that depends on nothing but its bytes,
 * and the probes that cover each.
 */
final class ClassModel {
  private final String file;
  private final List<Method> methods = new ArrayList<>();
  private final List<Place> lines = new ArrayList<>();
  private final List<Branch> branches = new ArrayList<>();
  private int probeCount;

  private ClassModel(String file) {
    this.file = file;
  }

  /** Reads a class as JaCoCo's analyzer does. */
  static ClassModel of(byte[] bytes) {
    ClassReader reader = new ClassReader(bytes);
    Builder builder = new Builder(reader.getClassName());
    reader.accept(new ClassProbesAdapter(builder, false), 0);
    return builder.finish();
  }

  /** Name of the source file, or null. */
  String file() {
    return file;
  }

  /** How many probes the class has. */
  int probeCount() {
    return probeCount;
  }

  /** Methods with code, in class file order. */
  List<Method> methods() {
    return methods;
  }

  /** Lines with code, ascending. */
  List<Place> lines() {
    return lines;
  }

  /** Branches of instructions that have at least two, in code order. */
  List<Branch> branches() {
    return branches;
  }

  /** Something on a line and the probes each of which covers it. */
  record Place(int line, Proofs proofs) {}

  /** A branch on a line, the position of its method, and the probes each of which covers it. */
  record Branch(int line, int method, Proofs proofs) {}

  /** A method, its first line and the probes each of which covers it. */
  record Method(String name, String desc, int firstLine, Proofs proofs) {}

  private static final class Builder extends ClassProbesVisitor implements IFilterContext {
    private final String name;
    private final Set<String> annotations = new HashSet<>();
    private final Set<String> attributes = new HashSet<>();
    private final IFilter filter = Filters.all();
    private final List<Method> methods = new ArrayList<>();
    private final List<Branch> branches = new ArrayList<>();
    private final SortedMap<Integer, Proofs> lines = new TreeMap<>();
    private String parent;
    private String file;
    private int access;
    private int probeCount;

    Builder(String name) {
      this.name = name;
    }

    ClassModel finish() {
      ClassModel model = new ClassModel(file);
      model.probeCount = probeCount;
      model.methods.addAll(methods);
      model.branches.addAll(branches);
      lines.forEach((line, proofs) -> model.lines.add(new Place(line, proofs)));
      return model;
    }

    /** Adds a method that was read; of its instructions nothing else is kept. */
    private void add(MethodFlow flow) {
      List<Outcome> outcomes = flow.outcomes();
      if (outcomes.isEmpty()) {
        return;
      }
      Proofs whole = Proofs.NONE;
      int firstLine = ISourceNode.UNKNOWN_LINE;
      Proofs last = null;
      for (Outcome outcome : outcomes) {
        Proofs proofs = outcome.proofs();
        int line = outcome.line();
        if (line != ISourceNode.UNKNOWN_LINE) {
          lines.merge(line, proofs, Proofs::or);
          firstLine = firstLine == ISourceNode.UNKNOWN_LINE ? line : Math.min(firstLine, line);
        }
        if (proofs != last) {
          whole = whole.or(proofs);
          last = proofs;
        }
        if (outcome.branches().size() > 1) {
          int method = methods.size();
          outcome.branches().values().forEach(of -> branches.add(new Branch(line, method, of)));
        }
      }
      methods.add(new Method(flow.method().name, flow.method().desc, firstLine, whole));
    }

    @Override
    public void visit(
        int version,
        int flags,
        String self,
        String signature,
        String superName,
        String[] interfaces) {
      access = flags;
      parent = superName;
    }

    @Override
    public AnnotationVisitor visitAnnotation(String desc, boolean visible) {
      annotations.add(desc);
      return null;
    }

    @Override
    public void visitAttribute(Attribute attribute) {
      attributes.add(attribute.type);
    }

    @Override
    public void visitSource(String source, String debug) {
      file = source;
    }

    @Override
    public MethodProbesVisitor visitMethod(
        int flags, String method, String desc, String signature, String[] exceptions) {
      MethodFlow[] flow = new MethodFlow[1];
      flow[0] =
          new MethodFlow(
              () -> {
                filter.filter(flow[0].method(), this, flow[0]);
                add(flow[0]);
              });
      return flow[0];
    }

    @Override
    public void visitTotalProbeCount(int count) {
      probeCount = count;
    }

    @Override
    public String getClassName() {
      return name;
    }

    @Override
    public String getSuperClassName() {
      return parent;
    }

    @Override
    public Set<String> getClassAnnotations() {
      return annotations;
    }

    @Override
    public Set<String> getClassAttributes() {
      return attributes;
    }

    @Override
    public int getClassAccess() {
      return access;
    }

    @Override
    public String getSourceFileName() {
      return file;
    }

    @Override
    public KotlinSMAP getKotlinSMAP() {
      return null;
    }
  }
}
