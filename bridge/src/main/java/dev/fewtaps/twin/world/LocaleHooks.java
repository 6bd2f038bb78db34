package dev.fewtaps.twin.world;

import java.util.Arrays;
import java.util.Comparator;
import java.util.Locale;

/** The locales as Android's library lists them: by their names, and without the nameless root. */
public final class LocaleHooks {
  private LocaleHooks() {}

  @Replaces(
      owner = "java/util/Locale",
      name = "getAvailableLocales",
      desc = "()[Ljava/util/Locale;")
  public static Locale[] getAvailableLocales() {
    return Arrays.stream(Locale.getAvailableLocales())
        .filter(locale -> !locale.getLanguage().isEmpty())
        .sorted(Comparator.comparing(Locale::toString))
        .toArray(Locale[]::new);
  }
}
