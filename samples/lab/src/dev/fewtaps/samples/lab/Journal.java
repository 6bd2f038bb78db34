package dev.fewtaps.samples.lab;

import java.util.ArrayList;
import java.util.List;

/** Lines in the order in which they were written, from any thread. */
final class Journal {
  private final List<String> lines = new ArrayList<>();

  synchronized void add(String line) {
    lines.add(line);
  }

  synchronized void clear() {
    lines.clear();
  }

  synchronized String text() {
    StringBuilder text = new StringBuilder();
    for (String line : lines) {
      text.append(line).append('\n');
    }
    return text.toString();
  }
}
