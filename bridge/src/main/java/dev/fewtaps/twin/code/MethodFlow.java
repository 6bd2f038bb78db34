package dev.fewtaps.twin.code;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jacoco.core.analysis.ISourceNode;
import org.jacoco.core.internal.analysis.filter.IFilterOutput;
import org.jacoco.core.internal.analysis.filter.Replacements;
import org.jacoco.core.internal.flow.IFrame;
import org.jacoco.core.internal.flow.LabelInfo;
import org.jacoco.core.internal.flow.MethodProbesVisitor;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.MethodNode;

/**
 * Learns which of JaCoCo's probes prove that which branch of which instruction was executed.
 *
 * <p>An instruction is covered if one of its branches is; a branch is covered by its own probe or
 * by whatever covers the instruction it leads to. The answer for a set of probes is thus the union
 * of the answers for each, and agrees with JaCoCo's analyzer, whose filters are applied as well.
 */
final class MethodFlow extends MethodProbesVisitor implements IFilterOutput {
  private final Map<AbstractInsnNode, Step> steps = new LinkedHashMap<>();
  private final List<Step> recorded = new ArrayList<>();
  private final Map<Label, Step> labelled = new HashMap<>();
  private final List<Label> openLabels = new ArrayList<>();
  private final Set<AbstractInsnNode> ignored = new HashSet<>();
  private final Map<AbstractInsnNode, AbstractInsnNode> mergedInto = new LinkedHashMap<>();
  private final Map<AbstractInsnNode, Replacements> replaced = new LinkedHashMap<>();
  private final Runnable whenRead;
  private MethodNode method;
  private AbstractInsnNode current;
  private Step last;
  private int line = ISourceNode.UNKNOWN_LINE;

  /** Makes a recorder that calls {@code whenRead} once it has seen the whole method. */
  MethodFlow(Runnable whenRead) {
    this.whenRead = whenRead;
  }

  /** The method that was read. */
  MethodNode method() {
    return method;
  }

  /** Applies what the filters asked for and returns the instructions that count, in code order. */
  List<Outcome> outcomes() {
    Map<AbstractInsnNode, Outcome> outcomes = new LinkedHashMap<>();
    solve();
    steps.forEach((node, step) -> outcomes.put(node, step.outcome()));
    for (AbstractInsnNode node : mergedInto.keySet()) {
      AbstractInsnNode target = representative(node);
      ignored.add(node);
      outcomes.put(target, outcomes.get(target).merge(outcomes.get(node)));
    }
    for (AbstractInsnNode node : mergedInto.keySet()) {
      outcomes.put(node, outcomes.get(representative(node)));
    }
    replaced.forEach((node, by) -> outcomes.put(node, outcomes.get(node).replace(by, outcomes)));
    outcomes.keySet().removeAll(ignored);
    return List.copyOf(outcomes.values());
  }

  /**
   * Works out the probes of every branch, from the last steps of each way back to its beginning.
   *
   * <p>A step that leads to one other is proved by the same probes, and has the same value for
   * them: a long method takes no more room than its branches do.
   */
  private void solve() {
    for (Step step : recorded) {
      for (Map.Entry<Integer, Label> jump : step.jumps.entrySet()) {
        Step target = labelled.get(jump.getValue());
        target.cameFrom = step;
        target.cameBy = jump.getKey();
      }
    }
    for (Step step : recorded) {
      if (step.cameFrom != null) {
        step.cameFrom.waitsFor++;
      }
    }
    Deque<Step> ready = new ArrayDeque<>();
    for (Step step : recorded) {
      step.probes.forEach((branch, probe) -> step.branches.put(branch, Proofs.of(probe)));
      if (step.waitsFor == 0) {
        ready.add(step);
      }
    }
    // A loop that is entered from nowhere is never ready: no probe proves it.
    for (Step step = ready.poll(); step != null; step = ready.poll()) {
      Step before = step.cameFrom;
      if (before != null) {
        before.branches.put(step.cameBy, step.proofs());
        if (--before.waitsFor == 0) {
          ready.add(before);
        }
      }
    }
  }

  @Override
  public void accept(MethodNode node, MethodVisitor visitor) {
    method = node;
    visitor.visitCode();
    node.tryCatchBlocks.forEach(block -> block.accept(visitor));
    for (AbstractInsnNode instruction : node.instructions) {
      current = instruction;
      instruction.accept(visitor);
    }
    visitor.visitEnd();
    whenRead.run();
  }

  @Override
  public void visitLabel(Label label) {
    openLabels.add(label);
    if (!LabelInfo.isSuccessor(label)) {
      last = null;
    }
  }

  @Override
  public void visitLineNumber(int number, Label start) {
    line = number;
  }

  private void step() {
    Step step = new Step(line);
    openLabels.forEach(label -> labelled.put(label, step));
    openLabels.clear();
    if (last != null) {
      last.branches.put(0, Proofs.NONE);
      step.cameFrom = last;
    }
    last = step;
    recorded.add(step);
    steps.put(current, step);
  }

  private void jump(int branch, Label target) {
    last.branches.put(branch, Proofs.NONE);
    last.jumps.put(branch, target);
  }

  private void probe(int branch, int probeId) {
    last.branches.put(branch, Proofs.NONE);
    last.probes.put(branch, probeId);
  }

  @Override
  public void visitInsn(int opcode) {
    step();
  }

  @Override
  public void visitIntInsn(int opcode, int operand) {
    step();
  }

  @Override
  public void visitVarInsn(int opcode, int variable) {
    step();
  }

  @Override
  public void visitTypeInsn(int opcode, String type) {
    step();
  }

  @Override
  public void visitFieldInsn(int opcode, String owner, String name, String desc) {
    step();
  }

  @Override
  public void visitMethodInsn(int opcode, String owner, String name, String desc, boolean itf) {
    step();
  }

  @Override
  public void visitInvokeDynamicInsn(String name, String desc, Handle handle, Object... arguments) {
    step();
  }

  @Override
  public void visitLdcInsn(Object value) {
    step();
  }

  @Override
  public void visitIincInsn(int variable, int increment) {
    step();
  }

  @Override
  public void visitMultiANewArrayInsn(String desc, int dimensions) {
    step();
  }

  @Override
  public void visitJumpInsn(int opcode, Label label) {
    step();
    jump(1, label);
  }

  @Override
  public void visitTableSwitchInsn(int min, int max, Label otherwise, Label... labels) {
    choose(otherwise, labels);
  }

  @Override
  public void visitLookupSwitchInsn(Label otherwise, int[] keys, Label[] labels) {
    choose(otherwise, labels);
  }

  private void choose(Label otherwise, Label[] labels) {
    step();
    int branch = 0;
    Set<Label> known = new HashSet<>(Set.of(otherwise));
    jump(branch, otherwise);
    for (Label label : labels) {
      if (known.add(label)) {
        jump(++branch, label);
      }
    }
  }

  @Override
  public void visitProbe(int probeId) {
    probe(0, probeId);
    last = null;
  }

  @Override
  public void visitJumpInsnWithProbe(int opcode, Label label, int probeId, IFrame frame) {
    step();
    probe(1, probeId);
  }

  @Override
  public void visitInsnWithProbe(int opcode, int probeId) {
    step();
    probe(0, probeId);
  }

  @Override
  public void visitTableSwitchInsnWithProbes(
      int min, int max, Label otherwise, Label[] labels, IFrame frame) {
    chooseWithProbes(otherwise, labels);
  }

  @Override
  public void visitLookupSwitchInsnWithProbes(
      Label otherwise, int[] keys, Label[] labels, IFrame frame) {
    chooseWithProbes(otherwise, labels);
  }

  private void chooseWithProbes(Label otherwise, Label[] labels) {
    step();
    Set<Label> known = new HashSet<>();
    int branch = 0;
    List<Label> all = new ArrayList<>(List.of(otherwise));
    all.addAll(Arrays.asList(labels));
    for (Label label : all) {
      if (known.add(label)) {
        int probeId = LabelInfo.getProbeId(label);
        if (probeId == LabelInfo.NO_PROBE) {
          jump(branch, label);
        } else {
          probe(branch, probeId);
        }
      }
      branch++;
    }
  }

  @Override
  public void ignore(AbstractInsnNode from, AbstractInsnNode to) {
    for (AbstractInsnNode node = from; node != to; node = node.getNext()) {
      ignored.add(node);
    }
    ignored.add(to);
  }

  @Override
  public void merge(AbstractInsnNode first, AbstractInsnNode second) {
    AbstractInsnNode into = representative(first);
    AbstractInsnNode from = representative(second);
    if (into != from) {
      mergedInto.put(from, into);
    }
  }

  @Override
  public void replaceBranches(AbstractInsnNode source, Replacements replacements) {
    replaced.put(source, replacements);
  }

  private AbstractInsnNode representative(AbstractInsnNode node) {
    AbstractInsnNode into = node;
    while (mergedInto.containsKey(into)) {
      into = mergedInto.get(into);
    }
    return into;
  }

  /** One instruction while the method is read. */
  private static final class Step {
    private final int line;
    private final SortedMap<Integer, Proofs> branches = new TreeMap<>();
    private final Map<Integer, Integer> probes = new HashMap<>();
    private final Map<Integer, Label> jumps = new HashMap<>();
    private Step cameFrom;
    private int cameBy;

    /** How many of the steps that it leads to are not solved. */
    private int waitsFor;

    Step(int line) {
      this.line = line;
    }

    Proofs proofs() {
      return union(branches);
    }

    Outcome outcome() {
      return new Outcome(line, branches);
    }
  }

  private static Proofs union(SortedMap<Integer, Proofs> branches) {
    Proofs all = Proofs.NONE;
    for (Proofs proofs : branches.values()) {
      all = all.or(proofs);
    }
    return all;
  }

  /** The coverage of an instruction: its line, and for each branch the probes that prove it. */
  record Outcome(int line, SortedMap<Integer, Proofs> branches) {
    /** The probes each of which proves that the instruction was executed. */
    Proofs proofs() {
      return union(branches);
    }

    private Outcome merge(Outcome other) {
      SortedMap<Integer, Proofs> union = new TreeMap<>(branches);
      // Twins have the same branches; what the first does not have is not counted.
      union.replaceAll(
          (branch, proofs) -> proofs.or(other.branches.getOrDefault(branch, Proofs.NONE)));
      return new Outcome(line, union);
    }

    private Outcome replace(Replacements by, Map<AbstractInsnNode, Outcome> outcomes) {
      SortedMap<Integer, Proofs> fresh = new TreeMap<>();
      for (Collection<Replacements.InstructionBranch> sources : by.values()) {
        Proofs proofs = Proofs.NONE;
        for (Replacements.InstructionBranch source : sources) {
          Proofs of = outcomes.get(source.instruction).branches.get(source.branch);
          if (of != null) {
            proofs = proofs.or(of);
          }
        }
        fresh.put(fresh.size(), proofs);
      }
      return new Outcome(line, fresh);
    }
  }
}
