package dev.fewtaps.twin.world.app;

import dev.fewtaps.twin.world.QueueHooks;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * A queue of an app that overrides a hooked method and calls its parent, as rewriting leaves it.
 */
public final class LoudQueue extends LinkedBlockingQueue<Object> {
  private static final long serialVersionUID = 1;

  /** How often take was called. */
  public int calls;

  @Override
  public Object take() throws InterruptedException {
    calls++;
    return QueueHooks.take(this);
  }
}
