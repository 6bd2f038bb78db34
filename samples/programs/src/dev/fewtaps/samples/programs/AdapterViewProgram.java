package dev.fewtaps.samples.programs;

import android.view.View;
import android.view.ViewGroup;
import android.widget.BaseAdapter;
import android.widget.ListView;
import android.widget.TextView;

/** A list asks its adapter for views when it is laid out: setAdapter is why. */
// Played: open, go. In the slice: 2.
public final class AdapterViewProgram extends Program {
  @Override
  public void go(View view) {
    int[] values = {4, 0}; // full thin
    ListView list = new ListView(this); // full
    list.setAdapter(new Numbers(values)); // full
    setContentView(list); // out
  }

  static final class Numbers extends BaseAdapter {
    final int[] values;

    Numbers(int[] values) { // out
      this.values = values; // full
    }

    @Override
    public int getCount() {
      return values.length; // out
    }

    @Override
    public Object getItem(int position) {
      return null;
    }

    @Override
    public long getItemId(int position) {
      return position;
    }

    @Override
    public View getView(int position, View old, ViewGroup parent) {
      int share = 100 / values[position]; // full thin
      TextView view = new TextView(parent.getContext()); // out
      view.setText("Share " + share); // out
      return view; // out
    }
  }
}
