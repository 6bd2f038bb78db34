package dev.fewtaps.samples.museum;

import android.os.Bundle;
import android.view.Menu;
import android.view.MenuItem;
import android.view.ViewGroup;
import java.util.ArrayList;
import java.util.List;

/** The catalogue: down by a tap, up by a line at the end of the rules, out by handing in the card. */
public final class ArchiveActivity extends KioskActivity {
  private static final int[] COLLECTIONS = {R.string.letters, R.string.maps, R.string.drawings};
  private static final int DRAWERS = 3;
  private static final int SHEETS = 3;
  private static final int THIS_YEAR = 2020;

  /** Numbers of the entries that were tapped on the way down. */
  private final ArrayList<Integer> way = new ArrayList<>();

  @Override
  protected void onCreate(Bundle savedInstanceState) {
    super.onCreate(savedInstanceState);
    setContentView(R.layout.archive);
    if (savedInstanceState != null) {
      way.addAll(savedInstanceState.getIntegerArrayList("way"));
    }
    onTap(R.id.up, this::goUp);
    showLevel();
  }

  @Override
  protected void onSaveInstanceState(Bundle outState) {
    super.onSaveInstanceState(outState);
    outState.putIntegerArrayList("way", way);
  }

  @Override
  public boolean onCreateOptionsMenu(Menu menu) {
    getMenuInflater().inflate(R.menu.archive, menu);
    return true;
  }

  @Override
  public boolean onOptionsItemSelected(MenuItem item) {
    goOn(FarewellActivity.class);
    return true;
  }

  private void goUp() {
    if (!way.isEmpty()) {
      way.remove(way.size() - 1);
    }
    showLevel();
  }

  private void goDown(int entry) {
    way.add(entry);
    showLevel();
  }

  private void showLevel() {
    findViewById(R.id.page).scrollTo(0, 0);
    this.<ViewGroup>findViewById(R.id.entries).removeAllViews();
    say(R.id.said, "");
    say(R.id.where, title());
    List<String> entries = entries();
    for (int i = 0; i < entries.size(); i++) {
      int number = i;
      addButton(R.id.entries, entries.get(i), view -> goDown(number));
    }
    if (entries.isEmpty()) {
      showSheet();
    }
  }

  private String title() {
    switch (way.size()) {
      case 0:
        return getString(R.string.catalogue);
      case 1:
        return getString(COLLECTIONS[way.get(0)]);
      case 2:
        return title(1) + ", " + getString(R.string.drawer, way.get(1) + 1);
      case 3:
        return title(2) + ", " + getString(way.get(2) == 0 ? R.string.signed : R.string.unsigned);
      default:
        return title(3) + ", " + getString(R.string.sheet, way.get(3) + 1);
    }
  }

  private String title(int depth) {
    List<Integer> rest = new ArrayList<>(way.subList(depth, way.size()));
    way.subList(depth, way.size()).clear();
    String title = title();
    way.addAll(rest);
    return title;
  }

  private List<String> entries() {
    List<String> entries = new ArrayList<>();
    switch (way.size()) {
      case 0:
        for (int collection : COLLECTIONS) {
          entries.add(getString(collection));
        }
        break;
      case 1:
        for (int drawer = 1; drawer <= DRAWERS; drawer++) {
          entries.add(getString(R.string.drawer, drawer));
        }
        break;
      case 2:
        entries.add(getString(R.string.signed));
        entries.add(getString(R.string.unsigned));
        break;
      case 3:
        for (int sheet = 1; sheet <= SHEETS; sheet++) {
          entries.add(getString(R.string.sheet, sheet));
        }
        break;
      default:
        break;
    }
    return entries;
  }

  private void showSheet() {
    Sheet sheet = new Sheet(COLLECTIONS[way.get(0)], way.get(1) + 1, way.get(2) == 0, way.get(3) + 1);
    say(R.id.said, getString(R.string.sheet_date, sheet.date()));
    addButton(R.id.entries, getString(R.string.cite), view -> cite(sheet));
    addButton(R.id.entries, getString(R.string.copy), view -> copy(sheet));
  }

  private void cite(Sheet sheet) {
    // Defect 6: a guess such as "c. 1659" is no number.
    int year = Integer.parseInt(sheet.date());
    say(R.id.said, getString(R.string.cited, title(), year, THIS_YEAR - year));
  }

  private void copy(Sheet sheet) {
    // Defect 7: what is kept in another house is copied by nobody.
    say(R.id.said, getString(R.string.copied, sheet.copyist().trim()));
  }
}
