package dev.fewtaps.twin.code;

import dev.fewtaps.twin.world.Causes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Turns an exception of the twin into what a phone would show: the same frames without the traces
 * of Robolectric, of coverage and of ourselves, and Android's wording of the JVM's messages.
 */
public final class StackCleaner {
  private static final String MANGLED = "$$robo$$";
  private static final String NATIVE_BINDING = "$nativeBinding";
  private static final List<String> HIDDEN =
      List.of(
          "dev.fewtaps.twin.",
          "org.robolectric.",
          "jdk.internal.",
          "sun.reflect.",
          "java.lang.invoke.",
          "org.jacoco.",
          "com.sun.proxy.$Proxy",
          "jdk.proxy");

  private static final String BRIDGE = "dev.fewtaps.twin.BridgeMain";

  private final HookTable hooks;

  /** Makes a cleaner that shows a call of a hook as a call of what it replaces. */
  public StackCleaner(HookTable hooks) {
    this.hooks = hooks;
  }

  /** Describes an exception and its causes, outermost first, as the bridge protocol wants it. */
  public List<Map<String, Object>> exceptions(Throwable error) {
    List<Map<String, Object>> exceptions = new ArrayList<>();
    for (Throwable t : Causes.of(error)) {
      Map<String, Object> one = new LinkedHashMap<>();
      one.put("type", t.getClass().getName());
      one.put("message", Messages.asOnAndroid(t));
      one.put("frames", frames(stackOf(t)));
      exceptions.add(one);
    }
    return exceptions;
  }

  /** Returns the frames of an exception without nulls; none if the app's class fails to tell. */
  static StackTraceElement[] stackOf(Throwable t) {
    StackTraceElement[] stack;
    try {
      stack = t.getStackTrace();
    } catch (RuntimeException | StackOverflowError | LinkageError broken) {
      stack = null;
    }
    return stack == null
        ? new StackTraceElement[0]
        : Arrays.stream(stack).filter(Objects::nonNull).toArray(StackTraceElement[]::new);
  }

  /** Describes a stack, innermost first: class, method, file or null, line or a negative number. */
  public List<List<Object>> frames(StackTraceElement[] stack) {
    List<List<Object>> frames = new ArrayList<>();
    for (StackTraceElement frame : clean(stack)) {
      frames.add(
          Arrays.asList(
              frame.getClassName(),
              frame.getMethodName(),
              frame.getFileName(),
              frame.getLineNumber()));
    }
    return frames;
  }

  /** Returns the frames that a phone would show, under the names that they have there. */
  public List<StackTraceElement> clean(StackTraceElement[] stack) {
    List<StackTraceElement> result = new ArrayList<>();
    for (int i = 0; i < stack.length; i++) {
      StackTraceElement frame = stack[i];
      if (frame.getClassName().startsWith(BRIDGE)) {
        break; // The frames below the app's main thread are the twin's.
      }
      if (isHidden(frame)) {
        boolean outermostHook = i + 1 < stack.length && !isHidden(stack[i + 1]);
        StackTraceElement original = outermostHook ? original(frame) : null;
        if (original != null) {
          result.add(original);
        }
        continue;
      }
      if (isReflection(frame)) {
        // On a phone the app's own reflection shows as one native frame, ours not at all.
        if (i + 1 < stack.length && !isHidden(stack[i + 1]) && !isReflection(stack[i + 1])) {
          result.add(new StackTraceElement(frame.getClassName(), frame.getMethodName(), null, -2));
        }
        continue;
      }
      StackTraceElement shown = demangle(frame);
      if (!isWrapperOf(shown, result)) {
        result.add(shown);
      }
    }
    return result;
  }

  private static boolean isHidden(StackTraceElement frame) {
    String name = frame.getClassName();
    for (String prefix : HIDDEN) {
      if (name.startsWith(prefix)) {
        return true;
      }
    }
    String method = frame.getMethodName();
    return name.contains("$$Lambda/")
        || name.contains("$$Lambda$") && name.indexOf('/') > 0
        || name.equals("java.util.Objects") && method.startsWith("check")
        || name.equals("java.lang.String") && method.startsWith("check")
        || name.equals("java.util.ArrayList$Itr") && method.equals("checkForComodification")
        || name.equals("java.lang.StringLatin1")
        || name.equals("java.lang.StringUTF16")
        || method.startsWith("$jacoco")
        || method.startsWith("$apk$jacoco")
        || method.equals("$$robo$init")
        // Guava as Robolectric uses it; an app's own copy comes from the app's loader.
        || name.startsWith("com.google.common.") && !"app".equals(frame.getClassLoaderName());
  }

  private static boolean isReflection(StackTraceElement frame) {
    return frame.getClassName().equals("java.lang.reflect.Method")
        || frame.getClassName().equals("java.lang.reflect.Constructor");
  }

  private StackTraceElement original(StackTraceElement frame) {
    HookTable.Target replaced = hooks.original(frame.getClassName(), frame.getMethodName());
    return replaced == null
        ? null
        : new StackTraceElement(replaced.owner().replace('/', '.'), replaced.name(), null, -1);
  }

  private static StackTraceElement demangle(StackTraceElement frame) {
    if (frame.getModuleName() != null) {
      return withoutLine(frame);
    }
    String method = frame.getMethodName();
    if (method.startsWith(MANGLED)) {
      if (method.endsWith(NATIVE_BINDING)) {
        method = method.substring(MANGLED.length(), method.length() - NATIVE_BINDING.length());
      } else {
        method = method.substring(method.indexOf('$', MANGLED.length()) + 1);
      }
    }
    method =
        switch (method) {
          case "__constructor__" -> "<init>";
          case "__staticInitializer__" -> "<clinit>";
          default -> method;
        };
    return new StackTraceElement(
        frame.getClassName(), method, frame.getFileName(), frame.getLineNumber());
  }

  /**
   * A frame of Java's own library: its line is this machine's, another Java has another or none.
   */
  private static StackTraceElement withoutLine(StackTraceElement frame) {
    String simple = frame.getClassName().substring(frame.getClassName().lastIndexOf('.') + 1);
    int inner = simple.indexOf('$');
    String file = (inner < 0 ? simple : simple.substring(0, inner)) + ".java";
    return new StackTraceElement(frame.getClassName(), frame.getMethodName(), file, -1);
  }

  /** Robolectric puts a method without lines around each one of the framework. */
  private static boolean isWrapperOf(StackTraceElement frame, List<StackTraceElement> inner) {
    if (inner.isEmpty()) {
      return false;
    }
    StackTraceElement last = inner.get(inner.size() - 1);
    boolean lineless = frame.getLineNumber() == -1;
    boolean constructor = frame.getMethodName().equals("<init>");
    return (lineless || constructor)
        && last.getClassName().equals(frame.getClassName())
        && last.getMethodName().equals(frame.getMethodName())
        && frame.getClassName().startsWith("android.");
  }
}
