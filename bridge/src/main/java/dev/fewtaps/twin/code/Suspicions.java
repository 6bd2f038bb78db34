package dev.fewtaps.twin.code;

import dev.fewtaps.twin.code.Suspicion.Rule;
import dev.fewtaps.twin.world.Causes;
import java.util.Arrays;
import java.util.List;
import java.util.NoSuchElementException;

/** Names the limit of the twin that an exception probably comes from. */
public final class Suspicions {
  /** What code throws by accident, in contrast to what it throws for Android. */
  private static final List<Class<? extends Throwable>> ACCIDENTS =
      List.of(
          UnsupportedOperationException.class,
          NullPointerException.class,
          ClassCastException.class,
          AssertionError.class,
          IndexOutOfBoundsException.class,
          ArithmeticException.class,
          NumberFormatException.class,
          NoSuchElementException.class,
          ArrayStoreException.class,
          NegativeArraySizeException.class);

  /** Beginnings and parts of messages about something of which the host has no more. */
  private static final List<String> HOST_LIMITS =
      List.of(
          "unable to create native thread",
          "Metaspace",
          "Compressed class space",
          "Cannot reserve ",
          "Too many open files",
          "User limit of inotify",
          "Resource temporarily unavailable");

  private static final String OURS = "dev.fewtaps.twin.";

  /**
   * Frames between those of the app and of Android; Java's loader of the twin is named "app", too.
   */
  private static final List<String> PASSED_OVER =
      List.of("java.", "jdk.", OURS, "org.robolectric.");

  /** At most so many frames lie between a call of the app and the work that is done for it. */
  private static final int NEAR_FRAMES = 12;

  private static final List<String> PLATFORM =
      List.of("java.", "javax.", "dalvik.", "libcore.", "org.apache.http.", "sun.");

  private static final List<String> ANDROID = List.of("android.", "com.android.");

  private static final List<String> TWIN = List.of("org.robolectric.", "dev.fewtaps.twin.inside.");

  private final StackCleaner cleaner;

  /** Makes rules that name places by their frames without those of the twin. */
  public Suspicions(StackCleaner cleaner) {
    this.cleaner = cleaner;
  }

  /** Returns the first suspicion about an exception or one of its causes, or null. */
  public Suspicion of(Throwable error) {
    for (Throwable t : Causes.of(error)) {
      Suspicion suspicion = ofOne(t);
      if (suspicion != null) {
        return suspicion;
      }
    }
    return null;
  }

  private Suspicion ofOne(Throwable t) {
    String message = Messages.of(t) == null ? "" : Messages.of(t);
    if (message.contains("could not be translated from DEX")) {
      return new Suspicion(Rule.TRANSLATION, message);
    }
    if (t instanceof OutOfMemoryError && isWhilePreparing(StackCleaner.stackOf(t))) {
      return new Suspicion(
          Rule.HOST_LIMIT, "the twin ran out of memory while it prepared the app's code");
    }
    if (t instanceof OutOfMemoryError && isFarFromApp(StackCleaner.stackOf(t))) {
      return new Suspicion(
          Rule.HOST_LIMIT,
          "the memory ended outside of the app's code, so that the twin may use more");
    }
    if (t instanceof UnsatisfiedLinkError) {
      return new Suspicion(Rule.NATIVE_CODE, "native code cannot run in the twin: " + message);
    }
    for (String limit : HOST_LIMITS) {
      if (message.contains(limit) && (t instanceof Error || t instanceof java.io.IOException)) {
        return new Suspicion(Rule.HOST_LIMIT, "the twin's machine has no more: " + message);
      }
    }
    if (t instanceof NoClassDefFoundError || t instanceof ClassNotFoundException) {
      return names(message, PLATFORM)
          ? new Suspicion(Rule.MISSING_PLATFORM, "the twin's Android lacks the class " + message)
          : null;
    }
    if (t instanceof LinkageError && !(t instanceof ExceptionInInitializerError)) {
      return ofLinkage(t, message);
    }
    if (t.getClass().getSimpleName().equals("NotFoundException")
        && message.startsWith("Font resource ID ")
        && message.contains("could not be retrieved")) {
      return new Suspicion(
          Rule.NOT_IMITATED,
          "the twin's phone has no provider of fonts, as Google Play services is one");
    }
    StackTraceElement[] stack = StackCleaner.stackOf(t);
    if (stack.length > 0 && stack[0].getClassName().equals("android.widget.SmartSelectSprite")) {
      return new Suspicion(
          Rule.NOT_IMITATED,
          "the twin measures text otherwise than a phone, and the drawing of selections minds");
    }
    return ofOrigin(t, stack);
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
   * Whether none of the first frames is the app's. A stack that is not known tells nothing; where
   * the twin itself says that the memory is full, it is what the app keeps that fills it.
   */
  private static boolean isFarFromApp(StackTraceElement[] stack) {
    return stack.length > 0
        && !stack[0].getClassName().startsWith(OURS)
        && Arrays.stream(stack)
            .filter(frame -> PASSED_OVER.stream().noneMatch(frame.getClassName()::startsWith))
            .limit(NEAR_FRAMES)
            .noneMatch(frame -> "app".equals(frame.getClassLoaderName()));
  }

  private static Suspicion ofLinkage(Throwable t, String message) {
    boolean lacks =
        t instanceof NoSuchMethodError
            || t instanceof NoSuchFieldError
            || t instanceof AbstractMethodError;
    if (lacks && names(message, PLATFORM)) {
      return new Suspicion(Rule.MISSING_PLATFORM, "the twin's Android lacks " + message);
    }
    if (lacks && names(message, ANDROID)) {
      return null; // The twin's Android is a real one: phones of that version lack it too.
    }
    String shown = Messages.withoutLoaders(message);
    return new Suspicion(Rule.LINKAGE, "translated code does not fit the JVM: " + shown);
  }

  /**
   * Code of Robolectric or of ours that gives up is our limit; what it throws for Android is not.
   */
  private Suspicion ofOrigin(Throwable t, StackTraceElement[] stack) {
    if (ACCIDENTS.stream().noneMatch(type -> type.isInstance(t))) {
      return null;
    }
    String origin = null;
    for (StackTraceElement frame : stack) {
      // A check or a collection of Java's own library fails on behalf of its caller.
      if (frame.getModuleName() == null && !frame.getClassName().startsWith("java.")) {
        origin = frame.getClassName();
        break;
      }
    }
    if (origin == null || TWIN.stream().noneMatch(origin::startsWith)) {
      return null;
    }
    List<StackTraceElement> shown = cleaner.clean(stack);
    String what =
        shown.stream()
            .filter(frame -> !frame.getClassName().startsWith("java."))
            .findFirst()
            .map(frame -> frame.getClassName() + "." + frame.getMethodName())
            .orElse(origin);
    return new Suspicion(Rule.NOT_IMITATED, "the twin does not fully imitate " + what);
  }

  private static boolean names(String message, List<String> packages) {
    String text = message.replace('/', '.').replace("'", "");
    int space = text.lastIndexOf(' ', Math.max(0, text.indexOf('(')));
    String name = text.indexOf('(') > 0 && space > 0 ? text.substring(space + 1) : text;
    return packages.stream().anyMatch(name::startsWith);
  }
}
