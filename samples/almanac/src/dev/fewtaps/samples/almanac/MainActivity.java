package dev.fewtaps.samples.almanac;

import android.app.Activity;
import android.content.ContentValues;
import android.content.Intent;
import android.content.res.Configuration;
import android.database.Cursor;
import android.database.sqlite.SQLiteDatabase;
import android.os.Build;
import android.os.Bundle;
import android.provider.ContactsContract.Contacts;
import android.view.View;
import android.widget.Button;
import android.widget.GridLayout;
import android.widget.LinearLayout;
import android.widget.ScrollView;
import android.widget.TextView;
import java.io.File;
import java.io.FileWriter;
import java.io.IOException;
import java.io.Writer;
import java.text.SimpleDateFormat;
import java.time.LocalDate;
import java.util.Date;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TimeZone;

/** A book of days. Each button works on an ordinary phone. */
public final class MainActivity extends Activity {
  private static final int HALF_HOUR = 30 * 60 * 1000;
  private static final String[] RELEASES = {"Pie", "10", "11", "12", "12L", "13"};

  private enum Weekday {
    MONDAY,
    TUESDAY,
    WEDNESDAY,
    THURSDAY,
    FRIDAY,
    SATURDAY,
    SUNDAY
  }

  private TextView status;
  private LinearLayout place;
  private SQLiteDatabase log;
  private long started;

  @Override
  protected void onCreate(Bundle savedInstanceState) {
    super.onCreate(savedInstanceState);
    log = openOrCreateDatabase("log.db", MODE_PRIVATE, null);
    log.execSQL("CREATE TABLE IF NOT EXISTS day (name TEXT)");
    LinearLayout page = new LinearLayout(this);
    page.setOrientation(LinearLayout.VERTICAL);
    status = new TextView(this);
    place = new LinearLayout(this);
    page.addView(status);
    page.addView(place);
    GridLayout buttons = new GridLayout(this);
    buttons.setColumnCount(2);
    page.addView(buttons);
    buttons.addView(button(R.string.page, this::showPage));
    buttons.addView(button(R.string.anniversary, this::showAnniversary));
    buttons.addView(button(R.string.weekday, this::showWeekday));
    buttons.addView(button(R.string.price, this::showPrice));
    buttons.addView(button(R.string.sunrise, this::showSunrise));
    buttons.addView(button(R.string.first_name, this::showFirstName));
    buttons.addView(button(R.string.names, this::openNames));
    buttons.addView(button(R.string.keep, this::keepDay));
    buttons.addView(button(R.string.log, this::logDay));
    buttons.addView(button(R.string.dial, this::showDial));
    buttons.addView(button(R.string.columns, this::showColumns));
    buttons.addView(button(R.string.colour, this::showColour));
    buttons.addView(button(R.string.panes, this::showPanes));
    buttons.addView(button(R.string.watch, this::startWatch));
    buttons.addView(button(R.string.laps, this::showMinutes));
    buttons.addView(button(R.string.release, this::showRelease));
    ScrollView all = new ScrollView(this);
    all.addView(page);
    setContentView(all);
  }

  @Override
  protected void onDestroy() {
    log.close();
    super.onDestroy();
  }

  private Button button(int label, Runnable action) {
    Button button = new Button(this);
    button.setText(label);
    button.setOnClickListener(view -> action.run());
    return button;
  }

  private void showAnniversary() {
    LocalDate today = LocalDate.now();
    status.setText(LocalDate.of(today.getYear() + 1, today.getMonth(), today.getDayOfMonth()) + "");
  }

  private void showWeekday() {
    Weekday day = Weekday.valueOf("Friday".toUpperCase()); // Not in Turkish.
    status.setText(day.name());
  }

  private void showPrice() {
    String price = String.format("%.2f", 12.5);
    status.setText(Double.parseDouble(price) * 2 + "");
  }

  private void showSunrise() {
    Map<Integer, String> sunrises = new HashMap<>();
    for (int offset = -24 * HALF_HOUR; offset <= 28 * HALF_HOUR; offset += HALF_HOUR) {
      sunrises.put(offset, "6:" + Math.abs(offset / HALF_HOUR));
    }
    int offset = TimeZone.getDefault().getRawOffset();
    status.setText(sunrises.get(offset).trim()); // A few zones differ by a quarter of an hour.
  }

  private void showFirstName() {
    try (Cursor people =
        getContentResolver().query(Contacts.CONTENT_URI, null, null, null, null)) {
      people.moveToFirst();
      status.setText(people.getString(people.getColumnIndex(Contacts.DISPLAY_NAME)));
    } catch (SecurityException notAllowed) {
      status.setText("");
    }
  }

  private void openNames() {
    if (checkSelfPermission("android.permission.READ_CONTACTS") == 0) {
      startActivity(new Intent(this, NamesActivity.class));
    }
  }

  private void keepDay() {
    Writer writer = null;
    try {
      writer = new FileWriter(new File(getFilesDir(), "day-" + System.nanoTime()));
      writer.write(today());
    } catch (IOException noRoom) {
      status.setText("not kept");
    }
    try {
      writer.close(); // It may never have been opened.
    } catch (IOException noRoom) {
      status.setText("not kept");
    }
  }

  private void logDay() {
    ContentValues row = new ContentValues();
    row.put("name", today());
    log.insertOrThrow("day", null, row);
    status.setText("logged");
  }

  private static String today() {
    return new SimpleDateFormat("yyyy-MM-dd", Locale.ROOT).format(new Date());
  }

  private void showDial() {
    place.removeAllViews();
    place.addView(new Sundial(this), new LinearLayout.LayoutParams(200, 50));
  }

  private void showColumns() {
    int columns = (int) (90 / (60 * getResources().getConfiguration().fontScale));
    status.setText(7 / columns + " rows");
  }

  private void showColour() {
    Map<Integer, String> colours = new HashMap<>();
    colours.put(Configuration.UI_MODE_NIGHT_NO, "white");
    int night = getResources().getConfiguration().uiMode & Configuration.UI_MODE_NIGHT_MASK;
    status.setText(colours.get(night).toUpperCase(Locale.ROOT));
  }

  private void showPanes() {
    place.removeAllViews();
    View page = getLayoutInflater().inflate(R.layout.page, place);
    page.findViewById(R.id.tides).setEnabled(false); // The page of a tablet has none.
  }

  private void showPage() {
    Configuration now = getResources().getConfiguration();
    int lines = now.screenHeightDp / 400;
    status.setText(isInMultiWindowMode() ? 31 / lines + " pages" : "one page");
  }

  private void startWatch() {
    started = System.currentTimeMillis();
    status.setText("started");
  }

  private void showMinutes() {
    long now = System.currentTimeMillis();
    int minutes = started == 0 ? 0 : (int) ((now - started) / 60_000);
    status.setText(new String(new char[minutes]).length() + " minutes");
  }

  private void showRelease() {
    status.setText(RELEASES[Build.VERSION.SDK_INT - Build.VERSION_CODES.P]);
  }
}
