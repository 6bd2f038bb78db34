package dev.fewtaps.samples.lab;

import android.app.Activity;
import android.os.Bundle;
import android.view.View;
import android.view.ViewGroup;
import android.widget.ArrayAdapter;
import android.widget.ExpandableListView;
import android.widget.GridView;
import android.widget.ListView;
import android.widget.SimpleExpandableListAdapter;
import android.widget.TextView;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/** A long list with buttons in its rows, a list of groups, and a grid. */
public final class ListsActivity extends Activity {
  private static final int ROWS = 60;

  private TextView log;

  @Override
  protected void onCreate(Bundle savedInstanceState) {
    super.onCreate(savedInstanceState);
    setContentView(R.layout.lists);
    log = findViewById(R.id.log);
    fillList();
    fillGroups();
    GridView grid = findViewById(R.id.grid);
    grid.setAdapter(
        new ArrayAdapter<>(this, android.R.layout.simple_list_item_1, new String[] {"A", "B", "C", "D"}));
    grid.setOnItemClickListener((parent, view, position, id) -> say("grid " + parent.getItemAtPosition(position)));
  }

  private void fillList() {
    List<String> rows = new ArrayList<>();
    for (int i = 0; i < ROWS; i++) {
      rows.add("row " + i);
    }
    RowAdapter adapter = new RowAdapter(rows);
    ListView list = findViewById(R.id.list);
    list.setAdapter(adapter);
    list.setEmptyView(findViewById(android.R.id.empty));
    list.setOnItemClickListener((parent, view, position, id) -> say("clicked " + adapter.getItem(position)));
    list.setOnItemLongClickListener(
        (parent, view, position, id) -> {
          say("long clicked " + adapter.getItem(position));
          adapter.clear();
          return true;
        });
  }

  private void fillGroups() {
    List<Map<String, String>> groups = Arrays.asList(entry("inner"), entry("outer"));
    List<List<Map<String, String>>> children =
        Arrays.asList(
            Arrays.asList(entry("Mercury"), entry("Venus")), Arrays.asList(entry("Jupiter"), entry("Saturn")));
    String[] from = {"name"};
    int[] to = {android.R.id.text1};
    ExpandableListView list = findViewById(R.id.groups);
    list.setAdapter(
        new SimpleExpandableListAdapter(
            this,
            groups, android.R.layout.simple_expandable_list_item_1, from, to,
            children, android.R.layout.simple_list_item_1, from, to));
    list.setOnChildClickListener(
        (parent, view, group, child, id) -> {
          say("child " + children.get(group).get(child).get("name"));
          return true;
        });
    list.setOnGroupExpandListener(group -> say("expanded " + groups.get(group).get("name")));
  }

  private static Map<String, String> entry(String name) {
    return Collections.singletonMap("name", name);
  }

  private void say(String line) {
    log.setText(line);
  }

  private final class RowAdapter extends ArrayAdapter<String> {
    RowAdapter(List<String> rows) {
      super(ListsActivity.this, R.layout.row, R.id.title, rows);
    }

    @Override
    public View getView(int position, View convertView, ViewGroup parent) {
      View row = super.getView(position, convertView, parent);
      String name = getItem(position);
      row.findViewById(R.id.remove)
          .setOnClickListener(
              view -> {
                say("removed " + name);
                remove(name);
              });
      return row;
    }
  }
}
