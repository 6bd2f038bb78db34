package dev.fewtaps.twin.world;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/** Makes threads named as those of Executors.defaultThreadFactory, numbered per world. */
final class WorldThreadFactory implements ThreadFactory {
  private final String prefix;
  private final AtomicInteger next = new AtomicInteger(1);

  WorldThreadFactory() {
    this("pool-" + number() + "-thread-");
  }

  WorldThreadFactory(String prefix) {
    this.prefix = prefix;
  }

  private static int number() {
    Strand me = Strand.current();
    World world = me != null ? me.world : World.current();
    return world == null ? 1 : world.nextPoolName();
  }

  @Override
  public Thread newThread(Runnable target) {
    return new WorldThread(target, prefix + next.getAndIncrement());
  }

  /** Returns a factory like the given one, all of whose threads can be gated. */
  static ThreadFactory gated(ThreadFactory factory) {
    if (factory == null) {
      throw new NullPointerException();
    }
    return target -> {
      Thread made = factory.newThread(target);
      if (made == null || made instanceof WorldThread) {
        return made;
      }
      WorldThread thread = new WorldThread(target, made.getName());
      thread.setPriority(made.getPriority());
      return thread;
    };
  }
}
