package dev.fewtaps.twin.code;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Turns an exception of the twin into what a phone would show: the same frames without the traces
 * of Robolectric, of coverage and of ourselves, and Android's wording of the JVM's messages.
 */
public final class StackCleaner {
  private static final int LONGEST_CHAIN = 50;
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
    List<Map<String, Object>> chain = new ArrayList<>();
    Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    for (Throwable t = error; t != null && seen.add(t); t = t.getCause()) {
      if (seen.size() > LONGEST_CHAIN) {
        break;
      }
      Map<String, Object> one = new LinkedHashMap<>();
      one.put("type", t.getClass().getName());
      one.put("message", Messages.asOnAndroid(t));
      one.put("frames", frames(t.getStackTrace()));
      chain.add(one);
    }
    return chain;
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

  /** Names the limit of the twin that an exception probably comes from, or returns null. */
  public String suspicion(Throwable error) {
    Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    for (Throwable t = error; t != null && seen.add(t); t = t.getCause()) {
      String reason = suspicionOf(t);
      if (reason != null) {
        return reason;
      }
    }
    return null;
  }

  private String suspicionOf(Throwable t) {
    String message = t.getMessage() == null ? "" : t.getMessage();
    if (message.contains("could not be translated from DEX")) {
      return message;
    }
    if (t instanceof OutOfMemoryError && isWhilePreparing(t.getStackTrace())) {
      return "the twin ran out of memory while it prepared the app's code";
    }
    if (t instanceof UnsatisfiedLinkError) {
      return "native code cannot run in the twin: " + message;
    }
    if (t instanceof NoSuchMethodError
        || t instanceof NoSuchFieldError
        || t instanceof AbstractMethodError) {
      return namesPlatform(message) ? "the twin's Android lacks " + message : null;
    }
    if (t instanceof NoClassDefFoundError || t instanceof ClassNotFoundException) {
      return namesPlatform(message) ? "the twin's Android lacks the class " + message : null;
    }
    if (t instanceof VerifyError
        || t instanceof ClassFormatError
        || t instanceof IncompatibleClassChangeError
        || t instanceof BootstrapMethodError) {
      return "translated code does not fit the JVM: " + message;
    }
    if (t.getClass().getSimpleName().equals("NotFoundException")
        && message.startsWith("Font resource ID ")
        && message.contains("could not be retrieved")) {
      return "the twin's phone has nobody who provides fonts, as Google Play services do";
    }
    StackTraceElement[] stack = t.getStackTrace();
    if (stack.length > 0 && stack[0].getClassName().equals("android.widget.SmartSelectSprite")) {
      return "the twin measures text otherwise than a phone, and the drawing of selections minds";
    }
    return suspicionByOrigin(t);
  }

  /** Whether code is prepared on top of the app's own frames. */
  private static boolean isWhilePreparing(StackTraceElement[] stack) {
    for (StackTraceElement frame : stack) {
      if (frame.getClassName().startsWith("dev.fewtaps.twin.code.")) {
        return true;
      }
      if ("app".equals(frame.getClassLoaderName())) {
        return false;
      }
    }
    return false;
  }

  /**
   * Code of Robolectric or of ours that gives up is our limit; what it throws for Android is not.
   */
  private String suspicionByOrigin(Throwable t) {
    boolean givesUp =
        t instanceof UnsupportedOperationException
            || t instanceof NullPointerException
            || t instanceof ClassCastException
            || t instanceof AssertionError;
    StackTraceElement[] stack = t.getStackTrace();
    if (!givesUp || stack.length == 0) {
      return null;
    }
    String origin = stack[0].getClassName();
    if (!origin.startsWith("org.robolectric.") && !origin.startsWith("dev.fewtaps.twin.inside.")) {
      return null;
    }
    List<StackTraceElement> shown = clean(stack);
    String what =
        shown.isEmpty() ? origin : shown.get(0).getClassName() + "." + shown.get(0).getMethodName();
    return "the twin does not fully imitate " + what;
  }

  private static boolean namesPlatform(String message) {
    String text = message.replace('/', '.').replace("'", "");
    int space = text.lastIndexOf(' ', Math.max(0, text.indexOf('(')));
    String name = text.indexOf('(') > 0 && space > 0 ? text.substring(space + 1) : text;
    for (String prefix :
        List.of("java.", "javax.", "dalvik.", "libcore.", "org.apache.http.", "sun.")) {
      if (name.startsWith(prefix)) {
        return true;
      }
    }
    return false;
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
