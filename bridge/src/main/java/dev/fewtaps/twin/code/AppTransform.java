package dev.fewtaps.twin.code;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodTooLargeException;

/** Prepares app classes for the twin: JaCoCo's probes first, then the rewriting. */
public final class AppTransform implements Transform {
  private final CallRewriter rewriter;
  private final List<Stage> stages;
  private final List<Stage> measuredStages;
  private final CoverageProbes probes;
  private final Map<String, String> notes = new ConcurrentSkipListMap<>();

  /** Makes a transform; {@code probes} is null where coverage is off. */
  public AppTransform(CallRewriter rewriter, CoverageProbes probes) {
    this.rewriter = rewriter;
    Stage rewriting = (bytes, reader, next) -> rewriter.visitor(reader, next, Set.of());
    this.stages = List.of(rewriting);
    this.measuredStages = probes == null ? stages : List.of(probes::instrumenter, rewriting);
    this.probes = probes;
  }

  /** One change to a class that is read; changes are made one after the other in one reading. */
  @FunctionalInterface
  interface Stage {
    /** Returns a visitor that passes the changed class on. */
    ClassVisitor visitor(byte[] bytes, ClassReader reader, ClassVisitor next);
  }

  @Override
  public byte[] apply(String className, byte[] bytes) {
    if (probes != null && probes.measures(className)) {
      try {
        return apply(bytes, measuredStages);
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
    Set<String> tickless = new HashSet<>();
    // Each round either succeeds or names one more method that has to do with less.
    while (true) {
      try {
        return apply(
            bytes, List.of((same, reader, next) -> rewriter.visitor(reader, next, tickless)));
      } catch (MethodTooLargeException e) {
        String method = e.getMethodName() + e.getDescriptor();
        if (!tickless.add(method)) {
          notes.put(
              className,
              "calls in "
                  + className
                  + " are not rewritten: "
                  + e.getMethodName()
                  + " is too large");
          return bytes;
        }
        notes.put(
            className,
            "loops of "
                + className
                + "."
                + e.getMethodName()
                + " cannot be ended: it is too large");
      }
    }
  }

  /** The changes that are made to a class without probes. */
  List<Stage> stages() {
    return stages;
  }

  /** Makes changes to a class, the first of the list first. */
  static byte[] apply(byte[] bytes, List<Stage> stages) {
    ClassReader reader = new ClassReader(bytes);
    ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
    ClassVisitor chain = writer;
    for (int i = stages.size() - 1; i >= 0; i--) {
      chain = stages.get(i).visitor(bytes, reader, chain);
    }
    reader.accept(chain, ClassReader.SKIP_FRAMES);
    return writer.toByteArray();
  }

  /** The failures to prepare classes so far, one sentence each. */
  public List<String> notes() {
    return List.copyOf(notes.values());
  }

  @Override
  public List<String> notesOf(String className) {
    String note = notes.get(className);
    return note == null ? List.of() : List.of(note);
  }
}
