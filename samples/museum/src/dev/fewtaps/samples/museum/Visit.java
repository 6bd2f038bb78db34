package dev.fewtaps.samples.museum;

import android.app.Activity;
import android.content.Context;
import android.content.SharedPreferences;
import java.util.ArrayList;
import java.util.List;

/** What is kept of a visit: it outlives the app's process, and nothing in it is ever taken back. */
final class Visit {
  private final SharedPreferences kept;

  Visit(Context context) {
    kept = context.getSharedPreferences("visit", Context.MODE_PRIVATE);
  }

  /** The screen that a visit under way goes on with; null before it begins. */
  Class<? extends Activity> screen() {
    String name = kept.getString("screen", "");
    for (Class<? extends Activity> screen : KioskActivity.SCREENS) {
      if (screen.getSimpleName().equals(name)) {
        return screen;
      }
    }
    return null;
  }

  void setScreen(Class<? extends Activity> screen) {
    kept.edit().putString("screen", screen.getSimpleName()).apply();
  }

  /** The rooms of the tour in the order they were entered; the last is where the visitor is. */
  List<Room> rooms() {
    List<Room> rooms = new ArrayList<>();
    for (String name : kept.getString("rooms", Room.HALL.name()).split(" ")) {
      rooms.add(Room.valueOf(name));
    }
    return rooms;
  }

  void enter(Room room) {
    kept.edit().putString("rooms", kept.getString("rooms", Room.HALL.name()) + " " + room.name()).apply();
  }

  String team() {
    return kept.getString("team", "");
  }

  void setTeam(String team) {
    kept.edit().putString("team", team).apply();
  }

  /** How many stations of the hunt are done. */
  int station() {
    return kept.getInt("station", 0);
  }

  int stamps() {
    return kept.getInt("stamps", 0);
  }

  void answered(boolean right) {
    kept.edit().putInt("station", station() + 1).putInt("stamps", stamps() + (right ? 1 : 0)).apply();
  }
}
