package dev.fewtaps.twin.world;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.util.Arrays;
import java.util.Locale;
import org.junit.Test;

/** Tests of the locales that an app is told of. */
public class LocaleHooksTest {
  @Test
  public void getAvailableLocales_hasNoLocaleWithoutAName() {
    Locale[] all = LocaleHooks.getAvailableLocales();
    assertTrue(Arrays.asList(all).contains(Locale.GERMANY));
    assertFalse(Arrays.asList(all).contains(Locale.ROOT));
    assertTrue(Arrays.stream(all).noneMatch(locale -> locale.getDisplayName().isEmpty()));
  }

  @Test
  public void getAvailableLocales_isSortedByName() {
    String[] names =
        Arrays.stream(LocaleHooks.getAvailableLocales())
            .map(Locale::toString)
            .toArray(String[]::new);
    String[] sorted = names.clone();
    Arrays.sort(sorted);
    assertArrayEquals(sorted, names);
  }
}
