package dev.fewtaps.samples.timer;

import android.app.Activity;
import android.os.Bundle;
import android.widget.ArrayAdapter;
import android.widget.ListView;
import java.util.ArrayList;

/** What was done so far. */
public final class LogActivity extends Activity {
  static final String EXTRA_ENTRIES = "entries";

  @Override
  protected void onCreate(Bundle savedInstanceState) {
    super.onCreate(savedInstanceState);
    setContentView(R.layout.log);
    ArrayList<String> entries = getIntent().getStringArrayListExtra(EXTRA_ENTRIES);
    ListView list = findViewById(R.id.entries);
    list.setEmptyView(findViewById(R.id.empty));
    list.setAdapter(new ArrayAdapter<>(this, android.R.layout.simple_list_item_1, entries));
  }
}
