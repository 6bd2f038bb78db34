package dev.fewtaps.samples.zones;

import android.app.Activity;
import android.content.ClipData;
import android.content.ClipboardManager;
import android.content.Context;
import android.content.Intent;
import android.net.Uri;
import android.os.Bundle;
import android.view.Menu;
import android.view.MenuItem;
import android.view.View;
import android.widget.TextView;
import android.widget.Toast;
import java.text.SimpleDateFormat;
import java.util.Date;
import java.util.Locale;
import java.util.TimeZone;

/** One time zone: its facts, and a button that shows its city on a map. */
public final class ZoneActivity extends Activity {
  static final String EXTRA_ZONE = "zone";

  private Place place;

  @Override
  protected void onCreate(Bundle savedInstanceState) {
    super.onCreate(savedInstanceState);
    setContentView(R.layout.zone);
    place = Place.named(getResources(), getIntent().getStringExtra(EXTRA_ZONE));
    setTitle(place.city());
    this.<TextView>findViewById(R.id.name).setText(place.zone);
    this.<TextView>findViewById(R.id.facts).setText(facts());
    findViewById(R.id.map).setOnClickListener(this::showMap);
  }

  private String facts() {
    TimeZone zone = TimeZone.getTimeZone(place.zone);
    SimpleDateFormat clock = new SimpleDateFormat("HH:mm", Locale.US);
    clock.setTimeZone(zone);
    int minutes = zone.getRawOffset() / 60_000;
    return String.format(Locale.US, "%s: %+d:%02d", getString(R.string.offset), minutes / 60, Math.abs(minutes % 60))
        + "\n" + getString(R.string.daylight) + ": " + getString(zone.useDaylightTime() ? R.string.yes : R.string.no)
        + "\n" + getString(R.string.now) + ": " + clock.format(new Date());
  }

  private void showMap(View button) {
    if (!place.isOnEarth()) {
      Toast.makeText(this, R.string.no_place, Toast.LENGTH_SHORT).show();
      return;
    }
    Uri uri = Uri.parse("geo:" + place.latitude + "," + place.longitude + "?z=8&q=" + Uri.encode(place.city()));
    // The defect: a phone without a map has nobody to answer, and nobody asked.
    startActivity(new Intent(Intent.ACTION_VIEW, uri));
  }

  @Override
  public boolean onCreateOptionsMenu(Menu menu) {
    getMenuInflater().inflate(R.menu.zone, menu);
    return true;
  }

  @Override
  public boolean onOptionsItemSelected(MenuItem item) {
    switch (item.getItemId()) {
      case R.id.action_copy:
        ClipboardManager clipboard = (ClipboardManager) getSystemService(Context.CLIPBOARD_SERVICE);
        clipboard.setPrimaryClip(ClipData.newPlainText(place.zone, place.zone));
        Toast.makeText(this, R.string.copied, Toast.LENGTH_SHORT).show();
        return true;
      case R.id.action_share:
        Intent share = new Intent(Intent.ACTION_SEND).setType("text/plain").putExtra(Intent.EXTRA_TEXT, place.zone);
        startActivity(Intent.createChooser(share, getString(R.string.share)));
        return true;
      default:
        return super.onOptionsItemSelected(item);
    }
  }
}
