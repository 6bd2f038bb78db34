package dev.fewtaps.twin;

import dev.fewtaps.twin.world.World;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import org.robolectric.internal.bytecode.Interceptor;
import org.robolectric.internal.bytecode.MethodRef;
import org.robolectric.internal.bytecode.MethodSignature;
import org.robolectric.util.Function;

/** Makes the framework read the same wall clock as the app; Robolectric's own starts in 1970. */
public final class WallClock extends Interceptor {
  public WallClock() {
    super(new MethodRef(System.class, "currentTimeMillis"));
  }

  /** The virtual wall clock in milliseconds. */
  public static long now() {
    World world = World.current();
    return world == null ? World.EPOCH_MILLIS : world.wallMillis();
  }

  @Override
  public Function<Object, Object> handle(MethodSignature signature) {
    return (type, receiver, parameters) -> now();
  }

  @Override
  public MethodHandle getMethodHandle(String name, MethodType type)
      throws NoSuchMethodException, IllegalAccessException {
    return MethodHandles.lookup()
        .findStatic(WallClock.class, "now", MethodType.methodType(long.class));
  }
}
