package dev.fewtaps.samples.almanac;

import android.app.Activity;
import android.database.Cursor;
import android.os.Bundle;
import android.provider.ContactsContract.Contacts;
import android.widget.TextView;

/** How many names there are. Only the activity before it asks whether it may know them. */
public final class NamesActivity extends Activity {
  @Override
  protected void onCreate(Bundle savedInstanceState) {
    super.onCreate(savedInstanceState);
    TextView text = new TextView(this);
    try (Cursor people = getContentResolver().query(Contacts.CONTENT_URI, null, null, null, null)) {
      text.setText(people.getCount() + " names");
    }
    setContentView(text);
  }
}
