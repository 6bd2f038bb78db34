package dev.fewtaps.twin.world;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import org.junit.Test;

public class FixedHashesTest {
  private static final int FIRST = 1 << 27;

  private enum Colour {
    RED,
    GREEN
  }

  /** Defines a class of its own of what another loader has. */
  private static final class Copies extends ClassLoader {
    Class<?> copyOf(Class<?> type) throws IOException {
      String path = type.getName().replace('.', '/') + ".class";
      try (InputStream in = type.getClassLoader().getResourceAsStream(path)) {
        byte[] bytes = in.readAllBytes();
        return defineClass(type.getName(), bytes, 0, bytes.length);
      }
    }
  }

  @Test
  public void classOfTheSameNameHasTheSameHash() throws Exception {
    Class<?> first = new Copies().copyOf(Colour.class);
    Class<?> second = new Copies().copyOf(Colour.class);
    Class<?> other = new Copies().copyOf(Copies.class);
    FixedHashes.give(first);
    System.identityHashCode(new Object());
    FixedHashes.give(second);
    FixedHashes.give(other);
    assertTrue(System.identityHashCode(first) >= FIRST);
    assertEquals(System.identityHashCode(first), System.identityHashCode(second));
    assertNotEquals(System.identityHashCode(first), System.identityHashCode(other));
  }

  @Test
  public void hashThatWasAskedForStays() throws Exception {
    Class<?> asked = new Copies().copyOf(Colour.class);
    int hash = System.identityHashCode(asked);
    FixedHashes.give(asked);
    assertEquals(hash, System.identityHashCode(asked));
    assertTrue(hash < FIRST);
  }

  @Test
  public void objectThatIsLockedKeepsWorking() throws Exception {
    Class<?> locked = new Copies().copyOf(Colour.class);
    synchronized (locked) {
      FixedHashes.give(locked);
      int hash = System.identityHashCode(locked);
      assertEquals(hash, System.identityHashCode(locked));
    }
  }

  @Test
  public void constantsHaveTheHashOfTheirNames() {
    FixedHashes.give(Colour.RED);
    FixedHashes.give(Colour.GREEN);
    assertTrue(Colour.RED.hashCode() >= FIRST);
    assertNotEquals(Colour.RED.hashCode(), Colour.GREEN.hashCode());
    System.gc();
    assertTrue(Colour.RED.hashCode() >= FIRST);
  }
}
