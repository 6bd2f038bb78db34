package dev.fewtaps.samples.zones;

import android.app.ListActivity;
import android.content.Intent;
import android.os.Bundle;
import android.text.Editable;
import android.text.TextWatcher;
import android.view.View;
import android.widget.ArrayAdapter;
import android.widget.EditText;
import android.widget.ListView;

/** The list of time zones, with a filter. */
public final class ZonesActivity extends ListActivity {
  private ArrayAdapter<Place> places;

  @Override
  protected void onCreate(Bundle savedInstanceState) {
    super.onCreate(savedInstanceState);
    setContentView(R.layout.list);
    places = new ArrayAdapter<>(this, android.R.layout.simple_list_item_1, Place.all(getResources()));
    setListAdapter(places);
    EditText filter = findViewById(R.id.filter);
    filter.setVisibility(View.VISIBLE);
    filter.addTextChangedListener(
        new TextWatcher() {
          @Override
          public void beforeTextChanged(CharSequence text, int start, int count, int after) {}

          @Override
          public void onTextChanged(CharSequence text, int start, int before, int count) {
            places.getFilter().filter(text);
          }

          @Override
          public void afterTextChanged(Editable text) {}
        });
  }

  @Override
  protected void onListItemClick(ListView list, View view, int position, long id) {
    Place place = places.getItem(position);
    startActivity(new Intent(this, ZoneActivity.class).putExtra(ZoneActivity.EXTRA_ZONE, place.zone));
  }
}
