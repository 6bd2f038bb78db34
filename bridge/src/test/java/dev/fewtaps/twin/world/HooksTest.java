package dev.fewtaps.twin.world;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.lang.invoke.MethodType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.Test;

/** What the annotations say must be true of the JDK, or the rewritten code would not link. */
public final class HooksTest {
  /** Methods that some JDKs have and others lack. */
  private static final Set<String> OPTIONAL =
      Set.of(
          "java/lang/Thread.threadId",
          "java/lang/Thread.destroy",
          "java/lang/Thread.stop",
          "java/lang/Thread.suspend",
          "java/lang/Thread.resume",
          "java/util/concurrent/ForkJoinPool.getCommonPoolParallelismLevel",
          "java/lang/System.setSecurityManager");

  /** Classes that only instrumented apps have. */
  private static final String IN_APPS = "dev/fewtaps/probes/";

  private final List<String> wrong = new ArrayList<>();

  private static Class<?> named(String internal) throws ClassNotFoundException {
    return Class.forName(internal.replace('/', '.'), false, HooksTest.class.getClassLoader());
  }

  private static Method find(Class<?> owner, String name, MethodType type) {
    for (Class<?> c = owner; c != null; c = c.getSuperclass()) {
      for (Method method : c.getDeclaredMethods()) {
        if (method.getName().equals(name)
            && method.getReturnType() == type.returnType()
            && Arrays.equals(method.getParameterTypes(), type.parameterArray())) {
          return method;
        }
      }
    }
    for (Class<?> parent : owner.getInterfaces()) {
      Method found = find(parent, name, type);
      if (found != null) {
        return found;
      }
    }
    return null;
  }

  @Test
  public void everyReplacedMethodExistsAndHasAHookOfItsShape() throws Exception {
    Set<String> seen = new HashSet<>();
    for (Class<?> type : Hooks.CLASSES) {
      for (Method hook : type.getDeclaredMethods()) {
        for (Replaces rule : hook.getAnnotationsByType(Replaces.class)) {
          if (!rule.owner().startsWith("android/") && !rule.owner().startsWith(IN_APPS)) {
            check(hook, rule);
          }
          String key = rule.owner() + "." + rule.name() + rule.desc();
          if (!seen.add(key)) {
            wrong.add("twice: " + key);
          }
        }
      }
    }
    assertEquals(List.of(), wrong);
    assertTrue(seen.size() > 250);
  }

  @Test
  public void everyRuleForResultsMeetsAMethodThatReturnsWhatItsHookTakesAndGives()
      throws Exception {
    int seen = 0;
    for (Class<?> type : Hooks.CLASSES) {
      for (Method hook : type.getDeclaredMethods()) {
        for (AfterCall rule : hook.getAnnotationsByType(AfterCall.class)) {
          Method method = named(rule.owner()).getMethod(rule.name());
          String desc = MethodType.methodType(method.getReturnType()).toMethodDescriptorString();
          assertEquals(rule.owner(), rule.desc(), desc);
          assertEquals(method.getReturnType(), hook.getReturnType());
          assertEquals(
              List.of(Object.class, method.getReturnType()), List.of(hook.getParameterTypes()));
          seen++;
        }
      }
    }
    assertTrue(seen > 0);
  }

  private void check(Method hook, Replaces rule) throws ClassNotFoundException {
    String name = rule.owner() + "." + rule.name() + rule.desc();
    if (!Modifier.isStatic(hook.getModifiers()) || !Modifier.isPublic(hook.getModifiers())) {
      wrong.add("not public static: " + hook);
    }
    MethodType type =
        MethodType.fromMethodDescriptorString(rule.desc(), HooksTest.class.getClassLoader());
    Method method = find(named(rule.owner()), rule.name(), type);
    if (method == null) {
      if (!OPTIONAL.contains(rule.owner() + "." + rule.name())) {
        wrong.add("no such method: " + name);
      }
      return;
    }
    MethodType expected =
        Modifier.isStatic(method.getModifiers())
            ? type
            : type.insertParameterTypes(0, named(rule.owner()));
    MethodType actual = MethodType.methodType(hook.getReturnType(), hook.getParameterTypes());
    boolean fits = actual.parameterCount() == expected.parameterCount();
    for (int i = 0; fits && i < actual.parameterCount(); i++) {
      fits =
          actual.parameterType(i) == expected.parameterType(i)
              || (!actual.parameterType(i).isPrimitive()
                  && actual.parameterType(i).isAssignableFrom(expected.parameterType(i)));
    }
    if (!fits || !type.returnType().isAssignableFrom(actual.returnType())) {
      wrong.add(name + " has a hook " + actual);
    }
  }

  @Test
  public void everyReplacedTypeHasTheConstructorsOfTheOriginal() throws Exception {
    for (Class<?> type : Hooks.CLASSES) {
      ReplacesType rule = type.getAnnotation(ReplacesType.class);
      if (rule == null) {
        continue;
      }
      Class<?> original = named(rule.value());
      assertTrue(original.isAssignableFrom(type));
      for (Constructor<?> constructor : original.getConstructors()) {
        try {
          type.getConstructor(constructor.getParameterTypes());
        } catch (NoSuchMethodException e) {
          wrong.add("missing: " + constructor);
        }
      }
    }
    // Too new for any Android.
    wrong.removeIf(line -> line.contains("ForkJoinPool") && line.contains("Predicate"));
    wrong.removeIf(line -> line.contains("SecureRandomParameters"));
    assertEquals(List.of(), wrong);
  }

  @Test
  public void everyRuleForConstructorsMeetsOne() throws Exception {
    for (Class<?> type : Hooks.CLASSES) {
      for (Method hook : type.getDeclaredMethods()) {
        for (FirstArgument rule : hook.getAnnotationsByType(FirstArgument.class)) {
          boolean met =
              Arrays.stream(named(rule.owner()).getConstructors())
                  .anyMatch(
                      c ->
                          c.getParameterCount() > 0
                              && c.getParameterTypes()[0] == hook.getParameterTypes()[0]);
          if (!met) {
            wrong.add(rule.owner() + " " + hook);
          }
        }
        for (AfterNew rule : hook.getAnnotationsByType(AfterNew.class)) {
          MethodType made =
              MethodType.fromMethodDescriptorString(rule.desc(), getClass().getClassLoader());
          named(rule.owner()).getConstructor(made.parameterArray());
        }
      }
    }
    assertEquals(List.of(), wrong);
  }
}
