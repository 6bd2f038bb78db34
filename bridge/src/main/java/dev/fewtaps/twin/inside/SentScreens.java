package dev.fewtaps.twin.inside;

import com.google.gson.JsonElement;
import com.google.gson.stream.JsonWriter;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/**
 * Numbers the screens that the other side has been sent, so that a screen that comes again need not
 * be.
 *
 * <p>Numbers count from 0 in the order of sending. Both sides forget everything when 0 is given
 * anew: after {@link #forget}, when there are too many, or when the other side says that it has
 * missed one.
 */
final class SentScreens {
  /** Characters that are remembered at most: they take room in the heap that belongs to the app. */
  static final int MOST_CHARACTERS = 4 << 20;

  // By their whole texts: a hash alone might confuse two, and computing a good one takes longer.
  private final Map<String, Integer> numbers = new HashMap<>();
  private long characters;

  /** Starts anew: the next screen gets the number 0. */
  void forget() {
    numbers.clear();
    characters = 0;
  }

  /**
   * Writes the fields of a step that tell its screen: its number, and the screen itself if it is
   * new.
   *
   * @param known how many screens the other side remembers; null if it does not, and wants each in
   *     full
   */
  void write(String screen, JsonElement known, JsonWriter out) throws IOException {
    if (known == null) {
      out.name("screen").jsonValue(screen);
      return;
    }
    if (known.getAsInt() != numbers.size()) {
      forget();
    }
    Integer number = numbers.get(screen);
    if (number == null) {
      number = add(screen);
      out.name("screen").jsonValue(screen);
    }
    out.name("number").value(number);
  }

  private int add(String screen) {
    if (characters + screen.length() > MOST_CHARACTERS) {
      forget();
    }
    int number = numbers.size();
    numbers.put(screen, number);
    characters += screen.length();
    return number;
  }
}
