package dev.fewtaps.samples.zones;

import android.app.ListActivity;
import android.content.Intent;
import android.os.Bundle;
import android.view.View;
import android.widget.ArrayAdapter;
import android.widget.ListView;

/** The first page: what can be looked at. */
public final class MainActivity extends ListActivity {
  private static final int[] PAGES = {
    R.string.build, R.string.locales, R.string.properties, R.string.screen, R.string.time_zones,
  };

  @Override
  protected void onCreate(Bundle savedInstanceState) {
    super.onCreate(savedInstanceState);
    setContentView(R.layout.list);
    ArrayAdapter<String> pages = new ArrayAdapter<>(this, android.R.layout.simple_list_item_1);
    for (int page : PAGES) {
      pages.add(getString(page));
    }
    setListAdapter(pages);
  }

  @Override
  protected void onListItemClick(ListView list, View view, int position, long id) {
    if (PAGES[position] == R.string.time_zones) {
      startActivity(new Intent(this, ZonesActivity.class));
    } else {
      startActivity(new Intent(this, FactsActivity.class).putExtra(FactsActivity.EXTRA_PAGE, PAGES[position]));
    }
  }
}
