package dev.fewtaps.samples.zones;

import android.app.ListActivity;
import android.os.Build;
import android.os.Bundle;
import android.util.DisplayMetrics;
import android.widget.ArrayAdapter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A page of plain facts about the device. */
public final class FactsActivity extends ListActivity {
  static final String EXTRA_PAGE = "page";
  private static final String[] PROPERTIES = {"file.separator", "line.separator", "path.separator", "user.dir"};

  @Override
  protected void onCreate(Bundle savedInstanceState) {
    super.onCreate(savedInstanceState);
    setContentView(R.layout.list);
    int page = getIntent().getIntExtra(EXTRA_PAGE, R.string.build);
    setTitle(page);
    setListAdapter(new ArrayAdapter<>(this, android.R.layout.simple_list_item_1, facts(page)));
  }

  private List<String> facts(int page) {
    List<String> facts = new ArrayList<>();
    switch (page) {
      case R.string.locales:
        for (Locale locale : new Locale[] {Locale.getDefault(), Locale.GERMANY, Locale.JAPAN}) {
          facts.add(locale + ": " + locale.getDisplayName(Locale.US));
        }
        break;
      case R.string.properties:
        for (String name : PROPERTIES) {
          facts.add(name + " = " + System.getProperty(name, "").trim());
        }
        break;
      case R.string.screen:
        DisplayMetrics metrics = getResources().getDisplayMetrics();
        facts.add("width: " + metrics.widthPixels);
        facts.add("height: " + metrics.heightPixels);
        facts.add("density: " + metrics.densityDpi);
        break;
      default:
        facts.add("model: " + Build.MODEL);
        facts.add("manufacturer: " + Build.MANUFACTURER);
        facts.add("release: " + Build.VERSION.RELEASE);
        break;
    }
    return facts;
  }
}
