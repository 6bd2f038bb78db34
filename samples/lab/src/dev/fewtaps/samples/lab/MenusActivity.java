package dev.fewtaps.samples.lab;

import android.view.ActionMode;
import android.view.ContextMenu;
import android.view.Menu;
import android.view.MenuItem;
import android.view.View;
import android.widget.Button;
import android.widget.PopupMenu;
import android.widget.SearchView;

/** Options, context and popup menus, and the contextual action bar. */
public final class MenusActivity extends LabActivity {
  @Override
  protected void fill() {
    Button context = button("Context menu", () -> say("short tap"));
    registerForContextMenu(context);
    Button popup = button("Popup menu", () -> {});
    popup.setOnClickListener(this::popup);
    button("Action mode", this::actionMode);
    button("Open options", this::openOptionsMenu);
  }

  @Override
  public boolean onCreateOptionsMenu(Menu menu) {
    getMenuInflater().inflate(R.menu.menus, menu);
    SearchView search = (SearchView) menu.findItem(R.id.menu_search).getActionView();
    search.setOnQueryTextListener(
        new SearchView.OnQueryTextListener() {
          @Override
          public boolean onQueryTextSubmit(String query) {
            say("search " + query);
            return true;
          }

          @Override
          public boolean onQueryTextChange(String newText) {
            return false;
          }
        });
    return true;
  }

  @Override
  public boolean onOptionsItemSelected(MenuItem item) {
    if (item.hasSubMenu()) {
      say("sub menu " + item.getTitle());
      return false;
    }
    if (item.isCheckable()) {
      item.setChecked(!item.isChecked());
      say("option " + item.getTitle() + " " + item.isChecked());
    } else {
      say("option " + item.getTitle());
    }
    return true;
  }

  @Override
  public void onCreateContextMenu(ContextMenu menu, View view, ContextMenu.ContextMenuInfo info) {
    menu.setHeaderTitle("Context");
    getMenuInflater().inflate(R.menu.context, menu);
  }

  @Override
  public boolean onContextItemSelected(MenuItem item) {
    say("context " + item.getTitle());
    return true;
  }

  private void popup(View anchor) {
    PopupMenu popup = new PopupMenu(this, anchor);
    popup.inflate(R.menu.context);
    popup.setOnMenuItemClickListener(
        item -> {
          say("popup " + item.getTitle());
          return true;
        });
    popup.setOnDismissListener(menu -> say("popup closed"));
    popup.show();
  }

  private void actionMode() {
    startActionMode(
        new ActionMode.Callback() {
          @Override
          public boolean onCreateActionMode(ActionMode mode, Menu menu) {
            mode.setTitle("1 selected");
            menu.add("Archive").setShowAsAction(MenuItem.SHOW_AS_ACTION_ALWAYS);
            return true;
          }

          @Override
          public boolean onPrepareActionMode(ActionMode mode, Menu menu) {
            return false;
          }

          @Override
          public boolean onActionItemClicked(ActionMode mode, MenuItem item) {
            say("action " + item.getTitle());
            mode.finish();
            return true;
          }

          @Override
          public void onDestroyActionMode(ActionMode mode) {
            say("action mode ended");
          }
        });
  }
}
