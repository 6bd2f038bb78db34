package dev.fewtaps.samples.lab;

import android.os.Bundle;
import android.preference.Preference;
import android.preference.PreferenceActivity;
import android.widget.Toast;

/** A settings screen made from XML. */
public final class SettingsScreenActivity extends PreferenceActivity {
  @Override
  protected void onCreate(Bundle savedInstanceState) {
    super.onCreate(savedInstanceState);
    addPreferencesFromResource(R.xml.settings);
    for (String key : new String[] {"nick", "planet"}) {
      findPreference(key).setOnPreferenceChangeListener(this::changed);
    }
  }

  private boolean changed(Preference preference, Object value) {
    preference.setSummary(String.valueOf(value));
    Toast.makeText(this, preference.getKey() + " = " + value, Toast.LENGTH_SHORT).show();
    return true;
  }
}
