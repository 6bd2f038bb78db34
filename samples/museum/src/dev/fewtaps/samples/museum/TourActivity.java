package dev.fewtaps.samples.museum;

import android.content.Intent;
import android.os.Bundle;
import android.view.Menu;
import android.view.MenuItem;
import java.util.List;

/** A room of the tour, with what is in it and the doors that lead on. */
public final class TourActivity extends KioskActivity {
  private Room room;

  @Override
  protected void onCreate(Bundle savedInstanceState) {
    super.onCreate(savedInstanceState);
    setContentView(R.layout.tour);
    List<Room> rooms = visit.rooms();
    room = rooms.get(rooms.size() - 1);
    say(R.id.room, getString(room.title));
    String[] exhibits = getResources().getStringArray(room.exhibits);
    for (int i = 0; i < exhibits.length; i++) {
      int number = i;
      addButton(R.id.exhibits, exhibits[i], view -> look(exhibits[number], number));
    }
    for (Room next : room.doors()) {
      addDoor(next.title, () -> enter(next));
    }
    if (room == Room.PAINTINGS) {
      addDoor(R.string.cafe, () -> goOn(CafeActivity.class));
      addDoor(R.string.shop, () -> goOn(ShopActivity.class));
    }
  }

  @Override
  public boolean onCreateOptionsMenu(Menu menu) {
    if (room.upstairs) {
      getMenuInflater().inflate(R.menu.tour, menu);
    }
    return room.upstairs;
  }

  @Override
  public boolean onOptionsItemSelected(MenuItem item) {
    startActivity(new Intent(this, AudioActivity.class));
    return true;
  }

  private void addDoor(int title, Runnable action) {
    addButton(R.id.doors, getString(R.string.door, getString(title)), view -> action.run());
  }

  private void enter(Room next) {
    visit.enter(next);
    goOn(TourActivity.class);
  }

  private void look(String name, int exhibit) {
    startActivity(
        new Intent(this, ExhibitActivity.class)
            .putExtra(ExhibitActivity.EXTRA_NAME, name)
            .putExtra(ExhibitActivity.EXTRA_NUMBER, room.audioNumber(exhibit)));
  }
}
