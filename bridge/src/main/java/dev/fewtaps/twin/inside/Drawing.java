package dev.fewtaps.twin.inside;

import android.graphics.Canvas;
import android.graphics.Picture;
import android.view.View;
import java.util.List;

/**
 * Lets the app's views draw themselves, as the frames of a phone do: an app may crash, count or go
 * on from there. The drawing is recorded, not painted, and thrown away.
 */
final class Drawing {
  private Drawing() {}

  static void draw(Device device) {
    List<Windows.Window> shown = device.windows().shown();
    for (int i = shown.size() - 1; i >= 0; i--) {
      View view = shown.get(i).view;
      Picture record = new Picture();
      Canvas canvas = record.beginRecording(view.getWidth(), view.getHeight());
      view.draw(canvas);
      record.endRecording();
    }
  }
}
