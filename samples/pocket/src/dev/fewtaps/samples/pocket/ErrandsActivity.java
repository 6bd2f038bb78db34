package dev.fewtaps.samples.pocket;

import android.app.Activity;
import android.content.Intent;
import android.net.Uri;
import android.os.AsyncTask;
import android.os.Bundle;
import android.os.Handler;
import android.os.Looper;
import android.provider.AlarmClock;
import android.provider.ContactsContract.Contacts;
import android.provider.MediaStore;
import android.speech.RecognizerIntent;
import android.widget.Button;
import android.widget.LinearLayout;
import android.widget.TextView;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.HttpURLConnection;
import java.net.URL;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;

/** Small things that another app or a server does: each fails where that one is not there. */
public final class ErrandsActivity extends Activity {
  private static final int PER_ROW = 3;
  private static final int PATIENCE_MILLIS = 5000;

  private final Handler handler = new Handler(Looper.getMainLooper());
  private final List<String> waiting = new ArrayList<>();
  private LinearLayout page;
  private LinearLayout row;
  private TextView status;

  @Override
  protected void onCreate(Bundle savedInstanceState) {
    super.onCreate(savedInstanceState);
    page = new LinearLayout(this);
    page.setOrientation(LinearLayout.VERTICAL);
    button("Page", this::page);
    button("Day", this::day);
    button("Film", this::film);
    button("Alarm", this::alarm);
    button("Person", this::person);
    button("Call", this::call);
    button("Paper", this::paper);
    button("Album", this::album);
    button("Key", this::key);
    button("Letter", this::letter);
    button("Way", this::way);
    button("Stars", this::stars);
    button("Song", this::song);
    button("Memo", this::memo);
    button("Note", this::note);
    button("Speech", this::speech);
    button("Weather", this::weather);
    button("Ticker", this::ticker);
    status = new TextView(this);
    page.addView(status);
    setContentView(page);
  }

  private void button(String label, Runnable action) {
    if (row == null || row.getChildCount() == PER_ROW) {
      row = new LinearLayout(this);
      page.addView(row);
    }
    Button button = new Button(this);
    button.setText(label);
    button.setOnClickListener(view -> action.run());
    row.addView(button);
  }

  private void page() {
    startActivity(new Intent(Intent.ACTION_VIEW, Uri.parse("https://example.com/")));
  }

  private void day() {
    startActivity(new Intent(Intent.ACTION_INSERT).setType("vnd.android.cursor.item/event"));
  }

  private void film() {
    startActivity(new Intent(MediaStore.ACTION_VIDEO_CAPTURE));
  }

  private void alarm() {
    startActivity(new Intent(AlarmClock.ACTION_SET_ALARM));
  }

  private void person() {
    startActivity(new Intent(Intent.ACTION_PICK).setType(Contacts.CONTENT_TYPE));
  }

  private void call() {
    startActivity(new Intent(Intent.ACTION_DIAL, Uri.parse("tel:5550100")));
  }

  private void paper() {
    startActivity(new Intent(Intent.ACTION_OPEN_DOCUMENT).setType("text/plain"));
  }

  private void album() {
    startActivity(new Intent(Intent.ACTION_VIEW).setType("image/*"));
  }

  private void key() {
    startActivity(new Intent("com.android.keychain.CHOOSER"));
  }

  private void letter() {
    startActivity(new Intent(Intent.ACTION_SENDTO, Uri.parse("mailto:a@example.com")));
  }

  private void way() {
    startActivity(new Intent(Intent.ACTION_VIEW, Uri.parse("geo:1,2")));
  }

  private void stars() {
    startActivity(new Intent(Intent.ACTION_VIEW, Uri.parse("market://details?id=a")));
  }

  private void song() {
    startActivity(new Intent(MediaStore.INTENT_ACTION_MUSIC_PLAYER));
  }

  private void memo() {
    startActivity(new Intent(MediaStore.Audio.Media.RECORD_SOUND_ACTION));
  }

  private void note() {
    startActivity(new Intent(Intent.ACTION_SENDTO, Uri.parse("smsto:5550100")));
  }

  private void speech() {
    startActivity(new Intent(RecognizerIntent.ACTION_RECOGNIZE_SPEECH));
  }

  /** Gives up after a while, and does not expect an answer after that. */
  private void weather() {
    waiting.add("weather");
    handler.postDelayed(waiting::clear, PATIENCE_MILLIS);
    new Ask("https://weather.example.com/api/today.json") {
      @Override
      protected void onPostExecute(String text) {
        status.setText(text + waiting.remove(0)); // Nothing waits any more.
      }
    }.execute();
  }

  /** Knows that there may be no network, and no other trouble. */
  private void ticker() {
    new Ask("https://ticker.example.com/api/prices.json") {
      @Override
      protected void onPostExecute(String text) {
        status.setText(text.trim()); // A server can fail, too.
      }
    }.execute();
  }

  /** Asks a server. */
  private static class Ask extends AsyncTask<Void, Void, String> {
    private final String address;

    Ask(String address) {
      this.address = address;
    }

    @Override
    protected String doInBackground(Void... nothing) {
      try {
        HttpURLConnection connection = (HttpURLConnection) new URL(address).openConnection();
        try (InputStream in = connection.getInputStream()) {
          while (in.read() >= 0) {}
        }
        return "An answer ";
      } catch (UnknownHostException | ConnectException e) {
        return "No network ";
      } catch (IOException e) {
        return null;
      }
    }
  }
}
