package dev.fewtaps.samples.pocket;

import android.app.Activity;
import android.content.Intent;
import android.database.Cursor;
import android.net.Uri;
import android.os.AsyncTask;
import android.os.Bundle;
import android.provider.ContactsContract.Contacts;
import android.provider.MediaStore;
import android.view.View;
import android.widget.ArrayAdapter;
import android.widget.Button;
import android.widget.ImageView;
import android.widget.LinearLayout;
import android.widget.ListView;
import android.widget.TextView;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URL;
import java.util.ArrayList;
import java.util.List;
import org.json.JSONArray;
import org.json.JSONException;
import org.json.JSONObject;

/** Shows people of the phone, a picture of the phone, and news from a server. */
public final class MainActivity extends Activity {
  private static final int PICTURE = 1;
  private static final String NEWS = "https://news.example.com/api/items.json";

  private final List<String> photos = new ArrayList<>();
  private TextView status;
  private ImageView image;
  private ListView list;

  @Override
  protected void onCreate(Bundle savedInstanceState) {
    super.onCreate(savedInstanceState);
    LinearLayout page = new LinearLayout(this);
    page.setOrientation(LinearLayout.VERTICAL);
    page.addView(button(R.string.people, view -> showPeople()));
    page.addView(button(R.string.picture, view -> pickPicture()));
    page.addView(button(R.string.news, view -> new LoadNews().execute()));
    status = new TextView(this);
    image = new ImageView(this);
    list = new ListView(this);
    list.setOnItemClickListener((parent, view, position, id) -> showPhoto(position));
    page.addView(status);
    page.addView(image, new LinearLayout.LayoutParams(96, 96));
    page.addView(list);
    setContentView(page);
  }

  private Button button(int label, View.OnClickListener action) {
    Button button = new Button(this);
    button.setText(label);
    button.setOnClickListener(action);
    return button;
  }

  private void showPeople() {
    List<String> names = new ArrayList<>();
    photos.clear();
    try (Cursor people =
        getContentResolver()
            .query(
                Contacts.CONTENT_URI,
                new String[] {Contacts.DISPLAY_NAME, Contacts.PHOTO_URI},
                Contacts.DISPLAY_NAME + " IS NOT NULL",
                null,
                Contacts._ID + " LIMIT 3")) {
      while (people != null && people.moveToNext()) {
        names.add(people.getString(0));
        photos.add(people.getString(1));
      }
    }
    status.setText(names.size() + " people");
    list.setAdapter(new ArrayAdapter<>(this, android.R.layout.simple_list_item_1, names));
  }

  private void showPhoto(int position) {
    image.setImageURI(Uri.parse(photos.get(position))); // Not everybody has one.
  }

  private void pickPicture() {
    startActivityForResult(new Intent(Intent.ACTION_GET_CONTENT).setType("image/*"), PICTURE);
  }

  @Override
  protected void onActivityResult(int request, int result, Intent data) {
    if (result != RESULT_OK || data == null) {
      status.setText("No picture");
      return;
    }
    String[] columns = {MediaStore.Images.Media.DATA};
    try (Cursor picked = getContentResolver().query(data.getData(), columns, null, null, null)) {
      picked.moveToFirst();
      File file = new File(picked.getString(0)); // A document has no path.
      status.setText(file.getName());
    }
  }

  /** Loads the first title, with its author. */
  private final class LoadNews extends AsyncTask<Void, Void, String> {
    @Override
    protected String doInBackground(Void... nothing) {
      try {
        HttpURLConnection connection = (HttpURLConnection) new URL(NEWS).openConnection();
        connection.setRequestProperty("Accept", "application/json");
        if (connection.getResponseCode() != HttpURLConnection.HTTP_OK) {
          return null;
        }
        return read(connection.getInputStream());
      } catch (IOException e) {
        return null;
      }
    }

    @Override
    protected void onPostExecute(String text) {
      if (text == null) {
        status.setText("No news");
        return;
      }
      try {
        JSONArray items = new JSONObject(text).getJSONArray("items");
        JSONObject first = items.getJSONObject(0);
        JSONObject author = first.optJSONObject("author");
        status.setText(first.getString("title") + ", by " + author.getString("name"));
      } catch (JSONException e) {
        status.setText("Bad news");
      }
    }
  }

  private static String read(InputStream in) throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    byte[] some = new byte[1024];
    for (int count = in.read(some); count >= 0; count = in.read(some)) {
      all.write(some, 0, count);
    }
    return all.toString("UTF-8");
  }

  @Override
  public boolean onCreateOptionsMenu(android.view.Menu menu) {
    menu.add(R.string.errands).setIntent(new Intent(this, ErrandsActivity.class));
    return true;
  }
}
