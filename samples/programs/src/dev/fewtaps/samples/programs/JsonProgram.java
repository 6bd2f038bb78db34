package dev.fewtaps.samples.programs;

import android.view.View;
import org.json.JSONException;
import org.json.JSONObject;

/** A member of a JSON object comes from the last call with an equal key. */
// Played: open, go. In the slice: 2.
public final class JsonProgram extends Program {
  @Override
  public void go(View view) throws JSONException {
    JSONObject object = new JSONObject(); // full
    object.put("other", 4); // out
    object.put("value", 0); // full thin
    int value = object.getInt("value"); // full thin
    shown = 100 / value; // full thin
  }
}
