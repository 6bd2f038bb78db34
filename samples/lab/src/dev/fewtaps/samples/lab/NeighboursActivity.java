package dev.fewtaps.samples.lab;

import android.database.Cursor;
import android.net.Uri;
import android.provider.CalendarContract;
import android.provider.ContactsContract;
import android.provider.MediaStore;
import android.provider.Settings;

/** Queries the content providers of other apps. */
public final class NeighboursActivity extends LabActivity {
  @Override
  protected void fill() {
    query("Contacts", ContactsContract.Contacts.CONTENT_URI);
    query("Images", MediaStore.Images.Media.EXTERNAL_CONTENT_URI);
    query("Audio", MediaStore.Audio.Media.EXTERNAL_CONTENT_URI);
    query("Calendars", CalendarContract.Calendars.CONTENT_URI);
    query("Downloads", Uri.parse("content://downloads/my_downloads"));
    button("System setting", () ->
        say("timeout " + Settings.System.getInt(getContentResolver(), Settings.System.SCREEN_OFF_TIMEOUT, -1)));
    button("Android id", () ->
        say("id " + Settings.Secure.getString(getContentResolver(), Settings.Secure.ANDROID_ID)));
  }

  private void query(String label, Uri uri) {
    button(label, () -> {
      try (Cursor cursor = getContentResolver().query(uri, null, null, null, null)) {
        say(label + ": " + (cursor == null ? "no cursor" : cursor.getCount() + " rows"));
      } catch (SecurityException error) {
        say(label + ": refused");
      }
    });
  }
}
