package dev.fewtaps.twin.code;

import dev.fewtaps.twin.world.AfterCall;
import dev.fewtaps.twin.world.AfterNew;
import dev.fewtaps.twin.world.FirstArgument;
import dev.fewtaps.twin.world.Replaces;
import dev.fewtaps.twin.world.ReplacesType;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.objectweb.asm.Type;

/** The replacements that annotations on hook classes ask for, by what they replace. */
public final class HookTable {
  private static final String STANDARD = "dev.fewtaps.twin.world.Hooks";

  private final Map<String, List<Call>> calls = new HashMap<>();
  private final Map<String, List<Call>> results = new HashMap<>();
  private final Map<String, Target> news = new HashMap<>();
  private final Map<String, Target> firstArguments = new HashMap<>();
  private final Map<String, String> types = new HashMap<>();
  private final Map<String, Target> originals = new HashMap<>();
  private final TreeSet<String> signature = new TreeSet<>();
  private Target tick;
  private Target nativeCalled;
  private Target identityHash;
  private Target enumMade;

  private HookTable() {}

  /** Reads the annotations of the given classes. */
  public static HookTable of(Collection<Class<?>> classes) {
    HookTable table = new HookTable();
    classes.forEach(table::add);
    return table;
  }

  /** Reads {@code world.Hooks} and the classes that its field {@code CLASSES} names. */
  public static HookTable standard() {
    try {
      Class<?> hooks = Class.forName(STANDARD);
      List<Class<?>> classes = new ArrayList<>(List.of(hooks));
      Field field = hooks.getField("CLASSES");
      Object named = field.get(null);
      Collection<?> more =
          named instanceof Object[] array ? Arrays.asList(array) : (Collection<?>) named;
      for (Object type : more) {
        if (!classes.contains(type)) {
          classes.add((Class<?>) type);
        }
      }
      return of(classes);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("the hooks of the twin are missing", e);
    }
  }

  private void add(Class<?> type) {
    ReplacesType replaced = type.getAnnotation(ReplacesType.class);
    if (replaced != null) {
      types.put(replaced.value(), Type.getInternalName(type));
      signature.add("type " + replaced.value() + " " + type.getName());
    }
    for (Method method : type.getDeclaredMethods()) {
      Target target =
          new Target(
              Type.getInternalName(type), method.getName(), Type.getMethodDescriptor(method));
      for (Replaces rule : method.getAnnotationsByType(Replaces.class)) {
        check(method, Type.getArgumentTypes(rule.desc()).length);
        boolean takesReceiver =
            method.getParameterCount() > Type.getArgumentTypes(rule.desc()).length;
        Call call = new Call(rule.owner(), rule.subclasses(), takesReceiver, target);
        originals.putIfAbsent(
            type.getName() + "." + method.getName(),
            new Target(rule.owner(), rule.name(), rule.desc()));
        calls.computeIfAbsent(rule.name() + rule.desc(), key -> new ArrayList<>()).add(call);
        signature.add("call " + rule.name() + rule.desc() + " " + call);
      }
      for (AfterCall rule : method.getAnnotationsByType(AfterCall.class)) {
        check(method, 1);
        Call call = new Call(rule.owner(), rule.subclasses(), true, target);
        results.computeIfAbsent(rule.name() + rule.desc(), key -> new ArrayList<>()).add(call);
        signature.add("result " + rule.name() + rule.desc() + " " + call);
      }
      for (AfterNew rule : method.getAnnotationsByType(AfterNew.class)) {
        news.put(rule.owner() + rule.desc(), target);
        signature.add("new " + rule.owner() + rule.desc() + " " + target);
      }
      for (FirstArgument rule : method.getAnnotationsByType(FirstArgument.class)) {
        String argument = Type.getArgumentTypes(target.desc())[0].getDescriptor();
        firstArguments.put(rule.owner() + argument, target);
        signature.add("argument " + rule.owner() + argument + " " + target);
      }
      addKnown(target);
    }
  }

  private static void check(Method method, int arguments) {
    int extra = method.getParameterCount() - arguments;
    boolean callable =
        Modifier.isStatic(method.getModifiers())
            && Modifier.isPublic(method.getModifiers())
            && Modifier.isPublic(method.getDeclaringClass().getModifiers());
    if (!callable || extra < 0 || extra > 1) {
      throw new IllegalStateException("app code cannot call the hook " + method);
    }
  }

  private void addKnown(Target target) {
    switch (target.name() + target.desc()) {
      case "tick()V" -> tick = target;
      case "nativeCalled(Ljava/lang/String;)V" -> nativeCalled = target;
      case "identityHash(Ljava/lang/Object;)I" -> identityHash = target;
      case "enumMade(Ljava/lang/Enum;)V" -> enumMade = target;
      default -> {
        return;
      }
    }
    signature.add("known " + target);
  }

  /** The replacements of methods of that name and descriptor, whatever their class. */
  List<Call> calls(String name, String desc) {
    return calls.getOrDefault(name + desc, List.of());
  }

  /** The methods that get results of methods of that name and descriptor. */
  List<Call> results(String name, String desc) {
    return results.getOrDefault(name + desc, List.of());
  }

  /** The method that a hook, given by dotted class and name, replaces, or null. */
  Target original(String hookClass, String hookName) {
    return originals.get(hookClass + "." + hookName);
  }

  /** The method to call with an object made by that constructor, or null. */
  Target afterNew(String owner, String desc) {
    return news.get(owner + desc);
  }

  /** The method to apply to the first argument of that constructor, or null. */
  Target firstArgument(String owner, Type[] arguments) {
    if (arguments.length == 0 || firstArguments.isEmpty()) {
      return null;
    }
    return firstArguments.get(owner + arguments[0].getDescriptor());
  }

  /** The class to use instead of a class: itself, mostly. */
  String type(String internalName) {
    return internalName == null ? null : types.getOrDefault(internalName, internalName);
  }

  /** The method that a loop calls each time round, or null. */
  Target tick() {
    return tick;
  }

  /** The method that stands in for a native one, or null. */
  Target nativeCalled() {
    return nativeCalled;
  }

  /** The method that gives an object the same hash code in every run, or null. */
  Target identityHash() {
    return identityHash;
  }

  /** The method to call with each new constant of an enum, or null. */
  Target enumMade() {
    return enumMade;
  }

  /** Names everything that is in this table; equal text means equal rewriting. */
  public String describe() {
    return String.join("\n", signature);
  }

  /** A static method of ours. */
  record Target(String owner, String name, String desc) {}

  /** A replaced method's class and what replaces it. */
  record Call(String owner, boolean subclasses, boolean takesReceiver, Target target) {}
}
