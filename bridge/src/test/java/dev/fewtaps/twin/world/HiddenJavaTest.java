package dev.fewtaps.twin.world;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import org.junit.Test;

/** What Android's Java library hides from apps. */
public class HiddenJavaTest {
  @Test
  public void numericAddressesAreReadWithoutANetwork() {
    assertEquals("10.0.0.2", HiddenJava.parseNumericAddress("10.0.0.2").getHostAddress());
    assertEquals("0:0:0:0:0:0:0:1", HiddenJava.parseNumericAddress("::1").getHostAddress());
    assertTrue(HiddenJava.parseNumericAddress("").isLoopbackAddress());
    for (String no : new String[] {"example.com", "1.2.3", "1.2.3.256", "1.2.3.4.5"}) {
      assertFalse(HiddenJava.isNumeric(no));
      assertThrows(IllegalArgumentException.class, () -> HiddenJava.parseNumericAddress(no));
    }
    assertTrue(HiddenJava.any4().isAnyLocalAddress());
    assertEquals(16, HiddenJava.any6().getAddress().length);
  }
}
