package dev.fewtaps.twin.code;

import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodTooLargeException;

/** Prepares app classes for the twin: JaCoCo's probes first, then the rewriting. */
public final class AppTransform implements Transform {
  private final CallRewriter rewriter;
  private final CoverageProbes probes;
  private final Set<String> notes = Collections.synchronizedSet(new TreeSet<>());

  /** Makes a transform; {@code probes} is null where coverage is off. */
  public AppTransform(CallRewriter rewriter, CoverageProbes probes) {
    this.rewriter = rewriter;
    this.probes = probes;
  }

  @Override
  public byte[] apply(String className, byte[] bytes) {
    if (probes != null && probes.measures(className)) {
      try {
        return apply(bytes, true);
      } catch (MethodTooLargeException e) {
        notes.add(
            "coverage of "
                + className
                + " is not measured: "
                + e.getMethodName()
                + " is too large");
      }
    }
    try {
      return apply(bytes, false);
    } catch (MethodTooLargeException e) {
      notes.add(
          "calls in " + className + " are not rewritten: " + e.getMethodName() + " is too large");
      return bytes;
    }
  }

  private byte[] apply(byte[] bytes, boolean measure) {
    ClassReader reader = new ClassReader(bytes);
    ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
    ClassVisitor chain = rewriter.visitor(writer);
    if (measure) {
      chain = probes.instrumenter(bytes, reader, chain);
    }
    reader.accept(chain, ClassReader.SKIP_FRAMES);
    return writer.toByteArray();
  }

  /** What could not be prepared so far, one sentence each. */
  public List<String> notes() {
    synchronized (notes) {
      return List.copyOf(notes);
    }
  }
}
