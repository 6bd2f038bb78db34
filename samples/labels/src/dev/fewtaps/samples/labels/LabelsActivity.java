package dev.fewtaps.samples.labels;

import android.app.Activity;
import android.content.Intent;
import android.os.Bundle;
import android.view.View;
import android.view.ViewGroup;
import android.widget.ArrayAdapter;
import android.widget.ListView;
import android.widget.TextView;

/** The list of labels; each is a row's text and its description. */
public final class LabelsActivity extends Activity {
  @Override
  protected void onCreate(Bundle savedInstanceState) {
    super.onCreate(savedInstanceState);
    setContentView(R.layout.labels);
    ListView list = findViewById(R.id.labels);
    list.setAdapter(new LabelAdapter());
    list.setOnItemClickListener((parent, view, position, id) -> open(position));
  }

  private void open(int number) {
    startActivity(new Intent(this, LabelActivity.class).putExtra(LabelActivity.EXTRA_NUMBER, String.valueOf(number)));
  }

  private final class LabelAdapter extends ArrayAdapter<String> {
    LabelAdapter() {
      super(LabelsActivity.this, android.R.layout.simple_list_item_1, Labels.ALL);
    }

    @Override
    public View getView(int position, View convertView, ViewGroup parent) {
      TextView row = (TextView) super.getView(position, convertView, parent);
      row.setMaxLines(1);
      row.setContentDescription(getItem(position));
      return row;
    }
  }
}
