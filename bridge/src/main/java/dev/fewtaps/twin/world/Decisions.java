package dev.fewtaps.twin.world;

import java.util.ArrayList;
import java.util.List;

/**
 * The decisions of a world about background work: when it begins, how long it pauses, when a
 * network answers.
 *
 * <p>Only remembered, to be told on request. Names say where in the app's code the work was begun,
 * so that they are the same in every world that comes there.
 */
final class Decisions {
  private static final int MOST = 2000;
  private static final StackWalker WALKER =
      StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

  private final List<World.Decision> made = new ArrayList<>();

  /** Work that will begin after so long was begun by the code that runs now. */
  void begins(long now, long delay) {
    List<StackWalker.StackFrame> frames = appFrames();
    String thread = Thread.currentThread().getName();
    add(
        frames.isEmpty() ? "work handed to " + thread : "work begun at " + place(frames.get(0)),
        now,
        now + delay);
  }

  /** The background thread that runs now goes on after so long. */
  void pauses(long now, long delay) {
    List<StackWalker.StackFrame> frames = appFrames();
    if (!frames.isEmpty()) {
      add("pause at " + place(frames.get(0)) + within(frames), now, now + delay);
    }
  }

  /** A network will answer the thread that runs now after so long. */
  void answers(long now, long delay) {
    List<StackWalker.StackFrame> frames = appFrames();
    if (!frames.isEmpty()) {
      add("answer of the network at " + place(frames.get(0)) + within(frames), now, now + delay);
    }
  }

  synchronized List<World.Decision> all() {
    return new ArrayList<>(made);
  }

  synchronized void addAll(Decisions others) {
    made.addAll(others.all());
  }

  private synchronized void add(String what, long at, long due) {
    if (made.size() < MOST) {
      made.add(new World.Decision(what, at, due));
    }
  }

  private static List<StackWalker.StackFrame> appFrames() {
    return WALKER.walk(frames -> frames.filter(Decisions::isOfApp).toList());
  }

  private static boolean isOfApp(StackWalker.StackFrame frame) {
    ClassLoader loader = frame.getDeclaringClass().getClassLoader();
    // The loader by name: its class is on the other side of the sandbox. It loads our hooks for the
    // app too.
    return loader != null
        && loader.getClass().getSimpleName().equals("AppClassLoader")
        && !frame.getClassName().startsWith("dev.fewtaps.twin.");
  }

  /**
   * The outermost code of the app on this thread, if it is elsewhere: which work it is that pauses.
   */
  private static String within(List<StackWalker.StackFrame> frames) {
    String outer = method(frames.get(frames.size() - 1));
    return outer.equals(method(frames.get(0))) ? "" : " in " + outer;
  }

  private static String place(StackWalker.StackFrame frame) {
    String file = frame.getFileName();
    String where = file == null ? "" : " (" + file + ":" + frame.getLineNumber() + ")";
    return method(frame) + where;
  }

  private static String method(StackWalker.StackFrame frame) {
    String name = frame.getClassName();
    return name.substring(name.lastIndexOf('.') + 1) + "." + frame.getMethodName();
  }
}
