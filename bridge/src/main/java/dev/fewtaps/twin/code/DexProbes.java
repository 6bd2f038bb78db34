package dev.fewtaps.twin.code;

import dev.fewtaps.twin.code.DexFlow.Point;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jf.dexlib2.AccessFlags;
import org.jf.dexlib2.Opcode;
import org.jf.dexlib2.builder.BuilderInstruction;
import org.jf.dexlib2.builder.BuilderOffsetInstruction;
import org.jf.dexlib2.builder.BuilderSwitchPayload;
import org.jf.dexlib2.builder.Label;
import org.jf.dexlib2.builder.MethodLocation;
import org.jf.dexlib2.builder.MutableMethodImplementation;
import org.jf.dexlib2.builder.SwitchLabelElement;
import org.jf.dexlib2.builder.instruction.BuilderInstruction10t;
import org.jf.dexlib2.builder.instruction.BuilderInstruction21s;
import org.jf.dexlib2.builder.instruction.BuilderInstruction21t;
import org.jf.dexlib2.builder.instruction.BuilderInstruction22t;
import org.jf.dexlib2.builder.instruction.BuilderInstruction22x;
import org.jf.dexlib2.builder.instruction.BuilderInstruction31i;
import org.jf.dexlib2.builder.instruction.BuilderInstruction3rc;
import org.jf.dexlib2.builder.instruction.BuilderPackedSwitchPayload;
import org.jf.dexlib2.builder.instruction.BuilderSparseSwitchPayload;
import org.jf.dexlib2.builder.instruction.BuilderSwitchElement;
import org.jf.dexlib2.iface.ExceptionHandler;
import org.jf.dexlib2.iface.Method;
import org.jf.dexlib2.iface.MethodImplementation;
import org.jf.dexlib2.iface.MethodParameter;
import org.jf.dexlib2.iface.TryBlock;
import org.jf.dexlib2.iface.debug.DebugItem;
import org.jf.dexlib2.iface.instruction.Instruction;
import org.jf.dexlib2.immutable.reference.ImmutableMethodReference;
import org.jf.dexlib2.immutable.reference.ImmutableStringReference;
import org.jf.dexlib2.immutable.reference.ImmutableTypeReference;

/**
 * Puts probes into one method of a DEX file.
 *
 * <p>A probe needs a register for its number. The method gets one more, behind its own; because
 * arguments arrive in the last registers, they are first moved to where its code looks for them.
 */
final class DexProbes {
  /** Class of the code that is added to apps. */
  static final String RUNTIME = "Ldev/fewtaps/probes/Probes;";

  /** A register beyond it cannot be given a number. */
  private static final int MOST_REGISTERS = 255;

  /** Conditions reach 32,767 units far. */
  private static final int MOST_UNITS = 32_000;

  private static final int UNITS_OF_PROBE = 9;

  private static final ImmutableMethodReference HIT =
      new ImmutableMethodReference(RUNTIME, "hit", List.of("I"), "V");

  private static final Map<Opcode, Opcode> OPPOSITES = opposites();

  private final MutableMethodImplementation code;
  private final int register;

  private DexProbes(MutableMethodImplementation code, int register) {
    this.code = code;
    this.register = register;
  }

  /** A method's code with room for a probe's number; it is not changed yet. */
  static MutableMethodImplementation widened(MethodImplementation method) {
    return new MutableMethodImplementation(new Widened(method));
  }

  /** Why no probes can be put into a method, or null if they can. */
  static String obstacle(MethodImplementation method, DexFlow flow) {
    if (method.getRegisterCount() >= MOST_REGISTERS) {
      return "it has " + method.getRegisterCount() + " registers";
    }
    int units = flow.points().size() * UNITS_OF_PROBE;
    for (Instruction instruction : method.getInstructions()) {
      units += instruction.getCodeUnits();
    }
    if (units > MOST_UNITS) {
      return "it is too long";
    }
    return flow.sharesTables() ? "two of its switches share a table" : null;
  }

  /** Puts the probes of {@code flow} into {@code code}, which is the widened code of a method. */
  static void put(Method method, MutableMethodImplementation code, List<Point> points) {
    DexProbes probes = new DexProbes(code, code.getRegisterCount() - 1);
    // From the last to the first: what is still to be done keeps its place.
    List<Point> order = new ArrayList<>(points);
    order.sort(
        (one, other) ->
            one.index() != other.index()
                ? Integer.compare(other.index(), one.index())
                : -one.where().compareTo(other.where()));
    order.forEach(probes::put);
    probes.moveArguments(method);
  }

  private void put(Point point) {
    switch (point.where()) {
      case FALLING -> {
        code.addInstruction(point.index(), call());
        code.addInstruction(point.index(), number(point.probe()));
      }
      case ALWAYS -> {
        BuilderInstruction old = code.getInstructions().get(point.index());
        // What leads to the old instruction, leads to the first of the new ones.
        code.replaceInstruction(point.index(), number(point.probe()));
        code.addInstruction(point.index() + 1, old);
        code.addInstruction(point.index() + 1, call());
      }
      case TAKEN -> putOnCondition(point.index(), point.probe());
      case CASE -> putOnCase(point);
    }
  }

  private void putOnCondition(int index, int probe) {
    BuilderInstruction old = code.getInstructions().get(index);
    Label taken = ((BuilderOffsetInstruction) old).getTarget();
    Label past = code.newLabelForIndex(index + 1);
    Opcode opposite = OPPOSITES.get(old.getOpcode());
    BuilderInstruction condition =
        old instanceof BuilderInstruction22t two
            ? new BuilderInstruction22t(opposite, two.getRegisterA(), two.getRegisterB(), past)
            : new BuilderInstruction21t(
                opposite, ((BuilderInstruction21t) old).getRegisterA(), past);
    code.replaceInstruction(index, condition);
    code.addInstruction(index + 1, new BuilderInstruction10t(Opcode.GOTO, taken));
    code.addInstruction(index + 1, call());
    code.addInstruction(index + 1, number(probe));
  }

  private void putOnCase(Point point) {
    int end = code.getInstructions().size();
    code.addInstruction(number(point.probe()));
    code.addInstruction(call());
    code.addInstruction(new BuilderInstruction10t(Opcode.GOTO, point.to()));
    Label detour = code.newLabelForIndex(end);
    int goal = point.to().getLocation().getIndex();
    BuilderInstruction choice = code.getInstructions().get(point.index());
    int place = ((BuilderOffsetInstruction) choice).getTarget().getLocation().getIndex();
    BuilderSwitchPayload payload = (BuilderSwitchPayload) code.getInstructions().get(place);
    List<SwitchLabelElement> elements = new ArrayList<>();
    for (Object each : payload.getSwitchElements()) {
      BuilderSwitchElement element = (BuilderSwitchElement) each;
      boolean isMeant = element.getTarget().getLocation().getIndex() == goal;
      elements.add(
          new SwitchLabelElement(element.getKey(), isMeant ? detour : element.getTarget()));
    }
    BuilderInstruction table =
        payload instanceof BuilderPackedSwitchPayload
            ? new BuilderPackedSwitchPayload(
                elements.get(0).key, elements.stream().map(element -> element.target).toList())
            : new BuilderSparseSwitchPayload(elements);
    code.replaceInstruction(place, table);
  }

  private BuilderInstruction number(int probe) {
    return probe <= Short.MAX_VALUE
        ? new BuilderInstruction21s(Opcode.CONST_16, register, probe)
        : new BuilderInstruction31i(Opcode.CONST, register, probe);
  }

  private BuilderInstruction call() {
    return new BuilderInstruction3rc(Opcode.INVOKE_STATIC_RANGE, register, 1, HIT);
  }

  /** Arguments arrive one register behind the place where the code looks for them. */
  private void moveArguments(Method method) {
    List<BuilderInstruction> moves = new ArrayList<>();
    int place = register;
    List<? extends MethodParameter> parameters = method.getParameters();
    for (MethodParameter parameter : parameters) {
      place -= width(parameter.getType());
    }
    MethodLocation first = code.getInstructions().get(0).getLocation();
    boolean hasNames = code.getDebugItems().iterator().hasNext();
    if (!AccessFlags.STATIC.isSet(method.getAccessFlags())) {
      place--;
      moves.add(new BuilderInstruction22x(Opcode.MOVE_OBJECT_FROM16, place, place + 1));
      if (hasNames) {
        name(first, place, "this", method.getDefiningClass());
      }
      place++;
    }
    for (MethodParameter parameter : parameters) {
      String type = parameter.getType();
      Opcode move =
          switch (type.charAt(0)) {
            case 'J', 'D' -> Opcode.MOVE_WIDE_FROM16;
            case 'L', '[' -> Opcode.MOVE_OBJECT_FROM16;
            default -> Opcode.MOVE_FROM16;
          };
      moves.add(new BuilderInstruction22x(move, place, place + 1));
      if (hasNames && parameter.getName() != null) {
        name(first, place, parameter.getName(), type);
      }
      place += width(type);
    }
    for (int i = moves.size() - 1; i >= 0; i--) {
      code.addInstruction(0, moves.get(i));
    }
  }

  private static void name(MethodLocation place, int register, String name, String type) {
    place.addStartLocal(
        register, new ImmutableStringReference(name), new ImmutableTypeReference(type), null);
  }

  private static int width(String type) {
    return type.equals("J") || type.equals("D") ? 2 : 1;
  }

  private static Map<Opcode, Opcode> opposites() {
    Map<Opcode, Opcode> found = new EnumMap<>(Opcode.class);
    Opcode[][] pairs = {
      {Opcode.IF_EQ, Opcode.IF_NE},
      {Opcode.IF_LT, Opcode.IF_GE},
      {Opcode.IF_GT, Opcode.IF_LE},
      {Opcode.IF_EQZ, Opcode.IF_NEZ},
      {Opcode.IF_LTZ, Opcode.IF_GEZ},
      {Opcode.IF_GTZ, Opcode.IF_LEZ},
    };
    for (Opcode[] pair : pairs) {
      found.put(pair[0], pair[1]);
      found.put(pair[1], pair[0]);
    }
    return found;
  }

  /** A method with one register more. */
  private record Widened(MethodImplementation method) implements MethodImplementation {
    @Override
    public int getRegisterCount() {
      return method.getRegisterCount() + 1;
    }

    @Override
    public Iterable<? extends Instruction> getInstructions() {
      return method.getInstructions();
    }

    @Override
    public List<? extends TryBlock<? extends ExceptionHandler>> getTryBlocks() {
      return method.getTryBlocks();
    }

    @Override
    public Iterable<? extends DebugItem> getDebugItems() {
      return method.getDebugItems();
    }
  }
}
