package dev.fewtaps.samples.museum;

import android.os.Bundle;
import android.view.View;
import android.widget.Button;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Says where an audio number belongs to. */
public final class AudioActivity extends KioskActivity {
  private static final int LENGTH = 2;

  private String digits = "";

  @Override
  protected void onCreate(Bundle savedInstanceState) {
    super.onCreate(savedInstanceState);
    setContentView(R.layout.audio);
    for (int digit = 1; digit <= 9; digit++) {
      addButton(R.id.keys, String.valueOf(digit), this::type);
    }
    onTap(R.id.listen, this::listen);
    onTap(R.id.clear, this::clear);
    onTap(R.id.close, this::finish);
  }

  private void type(View key) {
    if (digits.length() < LENGTH) {
      digits += ((Button) key).getText();
    }
    say(R.id.digits, digits);
  }

  private void clear() {
    digits = "";
    say(R.id.digits, digits);
  }

  private void listen() {
    Room room = digits.length() == LENGTH ? Room.values()[digits.charAt(0) - '1'] : null;
    if (room == null || digits.charAt(1) - '1' >= getResources().getStringArray(room.exhibits).length) {
      say(R.id.answer, getString(R.string.no_number));
      return;
    }
    int ago = roomsAgo(room);
    say(R.id.answer, ago == 0 ? getString(R.string.audio_here) : getString(R.string.audio_past, ago));
  }

  private int roomsAgo(Room room) {
    List<Room> rooms = visit.rooms();
    Map<Room, Integer> ago = new EnumMap<>(Room.class);
    for (int i = 0; i < rooms.size(); i++) {
      ago.put(rooms.get(i), rooms.size() - 1 - i);
    }
    // Defect 3: a room that was passed by was never entered.
    return ago.get(room);
  }
}
