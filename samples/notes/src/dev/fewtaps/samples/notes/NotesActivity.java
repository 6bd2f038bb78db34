package dev.fewtaps.samples.notes;

import android.app.Activity;
import android.content.Intent;
import android.os.Bundle;
import android.view.ContextMenu;
import android.view.Menu;
import android.view.MenuItem;
import android.view.View;
import android.widget.AdapterView;
import android.widget.ListView;
import android.widget.SimpleCursorAdapter;

/** The list of notes. */
public final class NotesActivity extends Activity {
  private NoteStore store;
  private SimpleCursorAdapter adapter;

  @Override
  protected void onCreate(Bundle savedInstanceState) {
    super.onCreate(savedInstanceState);
    setContentView(R.layout.notes);
    store = new NoteStore(this);
    String[] from = {"title", "body"};
    int[] to = {android.R.id.text1, android.R.id.text2};
    adapter = new SimpleCursorAdapter(this, android.R.layout.simple_list_item_2, null, from, to, 0);
    ListView list = findViewById(R.id.list);
    list.setAdapter(adapter);
    list.setEmptyView(findViewById(R.id.empty));
    list.setOnItemClickListener((parent, view, position, id) -> open(id));
    registerForContextMenu(list);
  }

  @Override
  protected void onStart() {
    super.onStart();
    adapter.changeCursor(store.all());
  }

  @Override
  protected void onDestroy() {
    adapter.changeCursor(null);
    store.close();
    super.onDestroy();
  }

  @Override
  public boolean onCreateOptionsMenu(Menu menu) {
    getMenuInflater().inflate(R.menu.notes, menu);
    return true;
  }

  @Override
  public boolean onOptionsItemSelected(MenuItem item) {
    if (item.getItemId() == R.id.action_add) {
      open(store.add(getString(R.string.untitled)));
      return true;
    }
    return super.onOptionsItemSelected(item);
  }

  @Override
  public void onCreateContextMenu(ContextMenu menu, View view, ContextMenu.ContextMenuInfo info) {
    menu.add(R.string.delete);
  }

  @Override
  public boolean onContextItemSelected(MenuItem item) {
    store.delete(((AdapterView.AdapterContextMenuInfo) item.getMenuInfo()).id);
    adapter.changeCursor(store.all());
    return true;
  }

  private void open(long id) {
    startActivity(new Intent(this, NoteActivity.class).putExtra(NoteActivity.EXTRA_ID, id));
  }
}
