package dev.fewtaps.twin.inside;

import android.view.KeyEvent;
import java.lang.reflect.Field;
import java.util.HashMap;
import java.util.Map;

/** Android's names of keys, by number. */
final class KeyNames {
  private static final String PREFIX = "KEYCODE_";
  private static final Map<Integer, String> NAMES = new HashMap<>();

  static {
    for (Field field : KeyEvent.class.getFields()) {
      if (field.getName().startsWith(PREFIX) && field.getType() == int.class) {
        try {
          NAMES.putIfAbsent(field.getInt(null), field.getName().substring(PREFIX.length()));
        } catch (IllegalAccessException e) {
          throw new AssertionError(e); // They are all public.
        }
      }
    }
  }

  private KeyNames() {}

  /** The name without its prefix, as the framework wants it, or null for an unknown key. */
  static String of(int code) {
    return NAMES.get(code);
  }
}
