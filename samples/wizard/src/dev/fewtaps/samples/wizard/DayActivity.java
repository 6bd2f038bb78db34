package dev.fewtaps.samples.wizard;

import android.os.Bundle;
import android.widget.ArrayAdapter;
import android.widget.ListView;

/** Step 8: a day, of which all but one are full. */
public final class DayActivity extends StepActivity {
  private static final int FREE = 3;

  public DayActivity() {
    super(R.string.day, R.layout.day, R.string.day_error);
  }

  @Override
  void prepare() {
    ListView days = findViewById(R.id.days);
    days.setAdapter(
        ArrayAdapter.createFromResource(this, R.array.days, android.R.layout.simple_list_item_single_choice));
    days.setOnItemClickListener(
        (parent, view, position, id) -> {
          if (position == FREE) {
            complain("");
          } else {
            days.setItemChecked(position, false);
            complain(getString(R.string.day_full, parent.getItemAtPosition(position)));
          }
        });
  }

  @Override
  boolean answer(Bundle order) {
    return this.<ListView>findViewById(R.id.days).getCheckedItemPosition() == FREE;
  }
}
