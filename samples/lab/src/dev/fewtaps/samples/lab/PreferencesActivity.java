package dev.fewtaps.samples.lab;

import android.content.SharedPreferences;
import java.util.TreeMap;

/** Reads and writes shared preferences. */
public final class PreferencesActivity extends LabActivity {
  private SharedPreferences preferences;
  // The preferences hold listeners weakly, hence the field.
  private final SharedPreferences.OnSharedPreferenceChangeListener listener =
      (changed, key) -> say("changed " + key);

  @Override
  protected void fill() {
    preferences = getSharedPreferences("lab", MODE_PRIVATE);
    preferences.registerOnSharedPreferenceChangeListener(listener);
    button("Count", () -> preferences.edit().putInt("count", preferences.getInt("count", 0) + 1).apply());
    button("Commit", () -> say("committed " + preferences.edit().putString("word", "hello").commit()));
    button("Clear", () -> preferences.edit().clear().apply());
    button("Show", this::show);
    show();
  }

  private void show() {
    say("all " + new TreeMap<>(preferences.getAll()));
  }
}
