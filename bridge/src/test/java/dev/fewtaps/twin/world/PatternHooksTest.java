package dev.fewtaps.twin.world;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.junit.Test;

/** Patterns that Android and the JVM read differently. */
public final class PatternHooksTest {
  private static String adapted(String regex) {
    String result = PatternHooks.asOnAndroid(regex, 0);
    Pattern.compile(result);
    return result;
  }

  @Test
  public void commentsGo() {
    assertEquals(
        "^(\\d\\|((\\d,)+|-)\\|){0,81}$", adapted("^((?#a)\\d\\|(?#b)((\\d,)+|-)\\|){0,81}$"));
  }

  @Test
  public void bracesOfTheGrammarStay() {
    for (String regex :
        new String[] {
          "a{2}",
          "a{2,}b{1,3}",
          "\\p{Alpha}+",
          "\\x{41}",
          "\\{\\}",
          "[{}]",
          "[^]}]",
          "\\Q}\\E",
          "(?<n>a)\\k<n>"
        }) {
      assertEquals(regex, adapted(regex));
    }
  }

  @Test
  public void aLooseClosingBraceIsRefused() {
    assertThrows(PatternSyntaxException.class, () -> PatternHooks.asOnAndroid("\\{(.*)}", 0));
    assertThrows(PatternSyntaxException.class, () -> PatternHooks.asOnAndroid("}", 0));
  }

  @Test
  public void wordsOfAllLanguagesAreWords() {
    World.begin(0, Settings.defaults());
    try {
      assertTrue(PatternHooks.matches("\\w+", (CharSequence) "héé"));
      assertEquals(2, PatternHooks.split("a b", "\\s").length);
    } finally {
      World.end();
    }
  }
}
