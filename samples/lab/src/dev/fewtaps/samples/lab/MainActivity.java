package dev.fewtaps.samples.lab;

import android.app.Activity;
import android.content.Intent;
import android.os.Bundle;
import android.widget.ArrayAdapter;
import android.widget.ListView;
import java.util.LinkedHashMap;
import java.util.Map;

/** Lists the features of the framework that the lab can try. */
public final class MainActivity extends Activity {
  private static final Map<String, Class<? extends Activity>> FEATURES = new LinkedHashMap<>();

  static {
    FEATURES.put("Results", ResultActivity.class);
    FEATURES.put("Launch modes", LaunchModesActivity.class);
    FEATURES.put("Flags", FlagsActivity.class);
    FEATURES.put("Rotation", RotationActivity.class);
    FEATURES.put("Rotation handled", ConfigActivity.class);
    FEATURES.put("Lifecycle", LifecycleActivity.class);
    FEATURES.put("Fragments", FragmentsActivity.class);
    FEATURES.put("Dialogs", DialogsActivity.class);
    FEATURES.put("Menus", MenusActivity.class);
    FEATURES.put("Widgets", WidgetsActivity.class);
    FEATURES.put("Lists", ListsActivity.class);
    FEATURES.put("Tabs", TabsActivity.class);
    FEATURES.put("Old tabs", OldTabsActivity.class);
    FEATURES.put("Toasts", ToastActivity.class);
    FEATURES.put("Keyboard", KeyboardActivity.class);
    FEATURES.put("Gestures", GesturesActivity.class);
    FEATURES.put("Web view", WebActivity.class);
    FEATURES.put("Texture", TextureActivity.class);
    FEATURES.put("Plain", PlainActivity.class);
    FEATURES.put("Sideways", SidewaysActivity.class);
    FEATURES.put("Services", ServicesActivity.class);
    FEATURES.put("Provider", ProviderActivity.class);
    FEATURES.put("Broadcasts", BroadcastsActivity.class);
    FEATURES.put("Alarms", AlarmActivity.class);
    FEATURES.put("Jobs", JobActivity.class);
    FEATURES.put("Background work", BackgroundActivity.class);
    FEATURES.put("Preferences", PreferencesActivity.class);
    FEATURES.put("Settings screen", SettingsScreenActivity.class);
    FEATURES.put("Database", DatabaseActivity.class);
    FEATURES.put("Files", FilesActivity.class);
    FEATURES.put("Permissions", PermissionActivity.class);
    FEATURES.put("Intents", IntentsActivity.class);
    FEATURES.put("Neighbours", NeighboursActivity.class);
    FEATURES.put("Network", NetworkActivity.class);
    FEATURES.put("Notifications", NotificationActivity.class);
    FEATURES.put("Clipboard", ClipboardActivity.class);
    FEATURES.put("System", SystemActivity.class);
    FEATURES.put("Random and time", RandomActivity.class);
    FEATURES.put("Reset", ResetActivity.class);
  }

  @Override
  protected void onCreate(Bundle savedInstanceState) {
    super.onCreate(savedInstanceState);
    setContentView(R.layout.main);
    String[] names = FEATURES.keySet().toArray(new String[0]);
    ListView list = findViewById(R.id.features);
    list.setAdapter(new ArrayAdapter<>(this, android.R.layout.simple_list_item_1, names));
    list.setOnItemClickListener(
        (parent, view, position, id) -> startActivity(new Intent(this, FEATURES.get(names[position]))));
  }
}
