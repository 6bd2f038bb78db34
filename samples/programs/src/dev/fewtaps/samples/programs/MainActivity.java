package dev.fewtaps.samples.programs;

import android.app.ListActivity;
import android.content.Intent;
import android.content.pm.ActivityInfo;
import android.content.pm.PackageManager;
import android.os.Bundle;
import android.view.View;
import android.widget.ArrayAdapter;
import android.widget.ListView;
import java.util.ArrayList;
import java.util.List;

/** Lists the programs, and opens the one that is tapped. */
public final class MainActivity extends ListActivity {
  private final List<String> names = new ArrayList<>();

  @Override
  protected void onCreate(Bundle saved) {
    super.onCreate(saved);
    for (ActivityInfo info : activities()) {
      if (info.name.endsWith("Program")) {
        names.add(info.name);
      }
    }
    List<String> labels = new ArrayList<>();
    for (String name : names) {
      labels.add(name.substring(name.lastIndexOf('.') + 1));
    }
    setListAdapter(new ArrayAdapter<>(this, android.R.layout.simple_list_item_1, labels));
  }

  @Override
  protected void onListItemClick(ListView list, View row, int position, long id) {
    startActivity(new Intent().setClassName(this, names.get(position)));
  }

  private ActivityInfo[] activities() {
    try {
      return getPackageManager()
          .getPackageInfo(getPackageName(), PackageManager.GET_ACTIVITIES)
          .activities;
    } catch (PackageManager.NameNotFoundException e) {
      throw new IllegalStateException(e);
    }
  }
}
