package dev.fewtaps.twin.inside;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Remarks for the user about this run that are not the app's own doing; each is made once. */
final class Notes {
  private final Set<String> said = new LinkedHashSet<>();
  private final List<String> fresh = new ArrayList<>();

  void say(String text) {
    String told = Texts.shortened(text);
    if (said.add(told)) {
      fresh.add(told);
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
