package dev.fewtaps.twin.code;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jf.dexlib2.Format;
import org.jf.dexlib2.Opcode;
import org.jf.dexlib2.builder.BuilderDebugItem;
import org.jf.dexlib2.builder.BuilderInstruction;
import org.jf.dexlib2.builder.BuilderOffsetInstruction;
import org.jf.dexlib2.builder.BuilderSwitchPayload;
import org.jf.dexlib2.builder.BuilderTryBlock;
import org.jf.dexlib2.builder.Label;
import org.jf.dexlib2.builder.MutableMethodImplementation;
import org.jf.dexlib2.builder.instruction.BuilderSwitchElement;
import org.jf.dexlib2.iface.debug.LineNumber;

/**
 * Where the probes of a method in DEX go, and what each of them proves.
 *
 * <p>The rules are those by which JaCoCo places probes in JVM code, so that both prove the same: a
 * probe stands where ways meet, before a line with a call, and before the method ends.
 */
final class DexFlow {
  private static final int NOWHERE = -1;

  private final List<BuilderInstruction> code;
  private final boolean[] target;
  private final boolean[] successor;
  private final boolean[] multiTarget;
  private final boolean[] callLine;
  private final boolean[] skipped;
  private final int[] lines;
  private final Step[] steps;
  private final List<Point> points = new ArrayList<>();
  private final List<Jump> jumps = new ArrayList<>();
  private int probes;

  private DexFlow(MutableMethodImplementation method, int firstProbe) {
    code = method.getInstructions();
    probes = firstProbe;
    int size = code.size();
    target = new boolean[size + 1];
    successor = new boolean[size + 1];
    multiTarget = new boolean[size + 1];
    callLine = new boolean[size + 1];
    skipped = new boolean[size];
    lines = new int[size];
    steps = new Step[size];
    readLines();
    findTargets(method);
    placeProbes();
    solve();
  }

  /** Reads a method; its probes have the numbers from {@code firstProbe} on. */
  static DexFlow of(MutableMethodImplementation method, int firstProbe) {
    return new DexFlow(method, firstProbe);
  }

  /** Where probes go, in code order. */
  List<Point> points() {
    return points;
  }

  /** The number after that of the last probe. */
  int nextProbe() {
    return probes;
  }

  /** The instructions in code order: their lines, and for each branch the probes that prove it. */
  List<Step> steps() {
    return Arrays.stream(steps).filter(step -> step != null).toList();
  }

  /** How a probe is put beside an instruction. */
  enum Where {
    /** Before it, for runs that come from the instruction before. */
    FALLING,
    /** Before it, for all. */
    ALWAYS,
    /** On the way of a condition that holds. */
    TAKEN,
    /** On the way of a switch to one target. */
    CASE
  }

  /** A probe and its place; {@code to} is the target of a case. */
  record Point(int index, Where where, int probe, Label to) {}

  /** An instruction. */
  static final class Step {
    private final int line;
    private final SortedMap<Integer, Proofs> branches = new TreeMap<>();
    private Step cameFrom;
    private int cameBy;
    private int waitsFor;

    Step(int line) {
      this.line = line;
    }

    /** Its source line, or 0. */
    int line() {
      return line;
    }

    /** For each of its branches the probes that prove it, in the order of JaCoCo. */
    List<Proofs> branches() {
      return List.copyOf(branches.values());
    }

    /** The probes each of which proves that it was executed. */
    Proofs proofs() {
      Proofs all = Proofs.NONE;
      for (Proofs proofs : branches.values()) {
        all = all.or(proofs);
      }
      return all;
    }
  }

  private void readLines() {
    int line = 0;
    for (int i = 0; i < code.size(); i++) {
      Integer here = lineAt(i);
      line = here == null ? line : here;
      lines[i] = line;
      // Before a table stands a nop if it has to be moved to an even place.
      boolean isPadding = code.get(i).getOpcode() == Opcode.NOP && i + 1 < code.size();
      skipped[i] = isTable(i) || (isPadding && isTable(i + 1));
    }
  }

  private boolean isTable(int index) {
    Format format = code.get(index).getFormat();
    return format == Format.ArrayPayload
        || format == Format.PackedSwitchPayload
        || format == Format.SparseSwitchPayload;
  }

  private Integer lineAt(int index) {
    Integer line = null;
    for (BuilderDebugItem item : code.get(index).getLocation().getDebugItems()) {
      if (item instanceof LineNumber number) {
        line = number.getLineNumber();
      }
    }
    return line;
  }

  private void findTargets(MutableMethodImplementation method) {
    for (BuilderTryBlock block : method.getTryBlocks()) {
      setTarget(block.start);
      setTarget(block.exceptionHandler.getHandler());
    }
    boolean isFirst = true;
    boolean continues = false;
    int lineStart = NOWHERE;
    for (int i = 0; i < code.size(); i++) {
      if (lineAt(i) != null) {
        // Nothing may come between a call and its result.
        lineStart = code.get(i).getOpcode().name.startsWith("move-result") ? i + 1 : i;
      }
      if (skipped[i]) {
        continue;
      }
      if (isFirst) {
        setTarget(i);
      }
      if (continues) {
        successor[i] = true;
        multiTarget[i] |= target[i];
      }
      BuilderInstruction instruction = code.get(i);
      if (isSwitch(instruction)) {
        targets(i).forEach(this::setTarget);
        setTarget(i + 1);
        continues = false;
      } else {
        if (isJump(instruction)) {
          setTarget(((BuilderOffsetInstruction) instruction).getTarget());
        } else if (isCall(instruction) && lineStart != NOWHERE) {
          callLine[lineStart] = true;
        }
        continues = instruction.getOpcode().canContinue();
      }
      isFirst = false;
    }
  }

  private void setTarget(Label label) {
    setTarget(label.getLocation().getIndex());
  }

  private void setTarget(int index) {
    multiTarget[index] |= target[index] || successor[index];
    target[index] = true;
  }

  private void placeProbes() {
    Step last = null;
    for (int i = 0; i < code.size(); i++) {
      if (skipped[i]) {
        continue;
      }
      if (last != null && (multiTarget[i] || callLine[i])) {
        last.branches.put(0, place(i, Where.FALLING, null));
        last = null;
      }
      Step step = new Step(lines[i]);
      steps[i] = step;
      if (last != null) {
        lead(last, 0, step);
      }
      last = step;
      BuilderInstruction instruction = code.get(i);
      if (isSwitch(instruction)) {
        jump(step, 0, i, i + 1, Where.FALLING);
        int branch = 0;
        for (int to : targets(i)) {
          if (to != i + 1) {
            jump(step, ++branch, i, to, Where.CASE);
          }
        }
        last = null;
      } else if (isJump(instruction)) {
        int to = ((BuilderOffsetInstruction) instruction).getTarget().getLocation().getIndex();
        boolean isCondition = instruction.getOpcode().canContinue();
        jump(step, 1, i, to, isCondition ? Where.TAKEN : Where.ALWAYS);
        last = isCondition ? step : null;
      } else if (!instruction.getOpcode().canContinue()) {
        step.branches.put(0, place(i, Where.ALWAYS, null));
        last = null;
      }
    }
    // Steps that are led to from earlier code than their own.
    for (Jump jump : jumps) {
      if (steps[jump.to] != null) {
        lead(jump.from, jump.branch, steps[jump.to]);
      }
    }
  }

  private record Jump(Step from, int branch, int to) {}

  private void jump(Step step, int branch, int from, int to, Where where) {
    step.branches.put(branch, Proofs.NONE);
    if (multiTarget[to]) {
      Label label = where == Where.CASE ? code.get(to).getLocation().addNewLabel() : null;
      step.branches.put(branch, place(where == Where.FALLING ? to : from, where, label));
    } else {
      jumps.add(new Jump(step, branch, to));
    }
  }

  private static void lead(Step from, int branch, Step to) {
    from.branches.put(branch, Proofs.NONE);
    to.cameFrom = from;
    to.cameBy = branch;
  }

  private Proofs place(int index, Where where, Label to) {
    points.add(new Point(index, where, probes, to));
    return Proofs.of(probes++);
  }

  /** As MethodFlow does: from the last steps of each way back to its beginning. */
  private void solve() {
    for (Step step : steps) {
      if (step != null && step.cameFrom != null) {
        step.cameFrom.waitsFor++;
      }
    }
    Deque<Step> ready = new ArrayDeque<>();
    for (Step step : steps) {
      if (step != null && step.waitsFor == 0) {
        ready.add(step);
      }
    }
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

  /** The places that a switch leads to, each once, without the one behind it. */
  private Set<Integer> targets(int index) {
    BuilderInstruction payload =
        code.get(((BuilderOffsetInstruction) code.get(index)).getTarget().getLocation().getIndex());
    Set<Integer> found = new LinkedHashSet<>();
    for (Object element : ((BuilderSwitchPayload) payload).getSwitchElements()) {
      found.add(((BuilderSwitchElement) element).getTarget().getLocation().getIndex());
    }
    return found;
  }

  static boolean isSwitch(BuilderInstruction instruction) {
    return instruction.getOpcode() == Opcode.PACKED_SWITCH
        || instruction.getOpcode() == Opcode.SPARSE_SWITCH;
  }

  private static boolean isJump(BuilderInstruction instruction) {
    return instruction instanceof BuilderOffsetInstruction
        && instruction.getFormat() != Format.Format31t;
  }

  private static boolean isCall(BuilderInstruction instruction) {
    return instruction.getOpcode().name.startsWith("invoke-");
  }

  /** Whether two switches share a table, which no compiler does. */
  boolean sharesTables() {
    Set<Integer> tables = new HashSet<>();
    for (BuilderInstruction instruction : code) {
      if (isSwitch(instruction)
          && !tables.add(
              ((BuilderOffsetInstruction) instruction).getTarget().getLocation().getIndex())) {
        return true;
      }
    }
    return false;
  }
}
