package dev.fewtaps.twin.code;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodTooLargeException;

/** Prepares app classes for the twin: JaCoCo's probes first, then the rewriting. */
public final class AppTransform implements Transform {
  private final CallRewriter rewriter;
  private final CoverageProbes probes;
  private final Map<String, String> notes = new ConcurrentSkipListMap<>();

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
        notes.put(
            className,
            "coverage of "
                + className
                + " is not measured: "
                + e.getMethodName()
                + " is too large");
      }
    }
    return applyUnmeasured(className, bytes);
  }

  /** Prepares a class without probes. */
  byte[] applyUnmeasured(String className, byte[] bytes) {
    try {
      return apply(bytes, false);
    } catch (MethodTooLargeException e) {
      notes.put(
          className,
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

  /** The failures to prepare classes so far, one sentence each. */
  public List<String> notes() {
    return List.copyOf(notes.values());
  }

  /** A failure to prepare one class. */
  List<String> notesOf(String className) {
    String note = notes.get(className);
    return note == null ? List.of() : List.of(note);
  }
}
