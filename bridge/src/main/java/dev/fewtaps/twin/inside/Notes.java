package dev.fewtaps.twin.inside;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * What a user should know about this run that is not the app's own doing; each thing is said once.
 */
final class Notes {
  private final Set<String> said = new LinkedHashSet<>();
  private final List<String> fresh = new ArrayList<>();

  void say(String text) {
    if (said.add(text)) {
      fresh.add(text);
    }
  }

  /** Returns what was said since the last call. */
  List<String> take() {
    List<String> taken = new ArrayList<>(fresh);
    fresh.clear();
    return taken;
  }

  /** Returns everything said in this run. */
  Set<String> all() {
    return said;
  }
}
