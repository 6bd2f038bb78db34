package dev.fewtaps.samples.lab;

import android.app.SearchManager;
import android.bluetooth.BluetoothAdapter;
import android.content.ActivityNotFoundException;
import android.content.Intent;
import android.net.Uri;
import android.provider.AlarmClock;
import android.provider.ContactsContract;
import android.provider.MediaStore;
import android.provider.Settings;

/** Sends the implicit intents that apps commonly send, and survives when nobody answers. */
public final class IntentsActivity extends LabActivity {
  private static final int PICK = 5;

  @Override
  protected void fill() {
    start("Browser", new Intent(Intent.ACTION_VIEW, Uri.parse("https://example.org/")));
    start("Map", new Intent(Intent.ACTION_VIEW, Uri.parse("geo:48.2,16.4")));
    start("Dial", new Intent(Intent.ACTION_DIAL, Uri.parse("tel:123")));
    start("Mail", new Intent(Intent.ACTION_SENDTO, Uri.parse("mailto:a@example.org")));
    start("Share", Intent.createChooser(new Intent(Intent.ACTION_SEND).setType("text/plain"), "Share with"));
    start("Settings", new Intent(Settings.ACTION_SETTINGS));
    start("Alarm clock", new Intent(AlarmClock.ACTION_SET_ALARM));
    start("Web search", new Intent(Intent.ACTION_WEB_SEARCH).putExtra(SearchManager.QUERY, "lab"));
    start("Pick contact", new Intent(Intent.ACTION_PICK, ContactsContract.Contacts.CONTENT_URI));
    start("Pick image", new Intent(Intent.ACTION_GET_CONTENT).setType("image/*"));
    start("Photo", new Intent(MediaStore.ACTION_IMAGE_CAPTURE));
    start("Nonsense", new Intent("dev.fewtaps.samples.lab.NOBODY"));
    start("Bluetooth", new Intent(BluetoothAdapter.ACTION_REQUEST_ENABLE));
    button("Bluetooth state", () ->
        say("Bluetooth is " + (BluetoothAdapter.getDefaultAdapter().isEnabled() ? "on" : "off")));
  }

  private void start(String label, Intent intent) {
    button(label, () -> {
      try {
        startActivityForResult(intent, PICK);
        say(label + ": started, resolved " + (intent.resolveActivity(getPackageManager()) != null));
      } catch (ActivityNotFoundException error) {
        say(label + ": nobody");
      }
    });
  }

  @Override
  protected void onActivityResult(int request, int result, Intent data) {
    say("result " + (result == RESULT_OK) + " data " + (data == null ? "none" : data.getData()));
  }
}
