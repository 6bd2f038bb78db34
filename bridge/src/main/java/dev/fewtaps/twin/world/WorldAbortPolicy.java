package dev.fewtaps.twin.world;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;

/** Rejects tasks with a message that is the same in each run. */
@ReplacesType("java/util/concurrent/ThreadPoolExecutor$AbortPolicy")
public class WorldAbortPolicy extends ThreadPoolExecutor.AbortPolicy {
  public WorldAbortPolicy() {}

  @Override
  public void rejectedExecution(Runnable task, ThreadPoolExecutor pool) {
    throw new RejectedExecutionException(
        "Task "
            + task.getClass().getName()
            + "@"
            + Integer.toHexString(Hooks.identityHash(task))
            + " rejected from "
            + pool);
  }
}
