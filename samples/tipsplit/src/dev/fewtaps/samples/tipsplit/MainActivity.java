package dev.fewtaps.samples.tipsplit;

import android.app.Activity;
import android.content.Intent;
import android.os.Bundle;
import android.view.Menu;
import android.view.MenuItem;
import android.view.View;
import android.widget.ArrayAdapter;
import android.widget.CheckBox;
import android.widget.EditText;
import android.widget.Spinner;
import android.widget.TextView;
import android.widget.Toast;

/** Splits a bill among a number of people. */
public final class MainActivity extends Activity {
  private static final String STATE_PEOPLE = "people";
  private static final int MOST_PEOPLE = 20;

  private EditText billField;
  private Spinner tipSpinner;
  private TextView peopleView;
  private CheckBox roundUpBox;
  private TextView resultView;
  private int people = 2;

  @Override
  protected void onCreate(Bundle savedInstanceState) {
    super.onCreate(savedInstanceState);
    setContentView(R.layout.main);
    billField = findViewById(R.id.bill);
    tipSpinner = findViewById(R.id.tip);
    peopleView = findViewById(R.id.people);
    roundUpBox = findViewById(R.id.round_up);
    resultView = findViewById(R.id.result);

    ArrayAdapter<CharSequence> tips =
        ArrayAdapter.createFromResource(this, R.array.tips, android.R.layout.simple_spinner_item);
    tips.setDropDownViewResource(android.R.layout.simple_spinner_dropdown_item);
    tipSpinner.setAdapter(tips);

    findViewById(R.id.fewer).setOnClickListener(view -> changePeople(-1));
    findViewById(R.id.more).setOnClickListener(view -> changePeople(1));
    findViewById(R.id.split).setOnClickListener(this::split);

    if (savedInstanceState == null) {
      tipSpinner.setSelection(SettingsActivity.defaultTip(this));
    } else {
      people = savedInstanceState.getInt(STATE_PEOPLE);
    }
    showPeople();
  }

  @Override
  protected void onSaveInstanceState(Bundle outState) {
    super.onSaveInstanceState(outState);
    outState.putInt(STATE_PEOPLE, people);
  }

  @Override
  public boolean onCreateOptionsMenu(Menu menu) {
    getMenuInflater().inflate(R.menu.main, menu);
    return true;
  }

  @Override
  public boolean onOptionsItemSelected(MenuItem item) {
    switch (item.getItemId()) {
      case R.id.action_clear:
        clear();
        return true;
      case R.id.action_settings:
        startActivity(new Intent(this, SettingsActivity.class));
        return true;
      default:
        return super.onOptionsItemSelected(item);
    }
  }

  private void changePeople(int change) {
    // The defect: the upper end is guarded, the lower end is not.
    people = Math.min(people + change, MOST_PEOPLE);
    showPeople();
  }

  private void showPeople() {
    peopleView.setText(String.valueOf(people));
  }

  private void split(View button) {
    String text = billField.getText().toString();
    if (text.isEmpty()) {
      Toast.makeText(this, R.string.bill_missing, Toast.LENGTH_SHORT).show();
      return;
    }
    Bill bill = new Bill(Long.parseLong(text), SettingsActivity.percent(tipSpinner.getSelectedItemPosition()));
    long share = bill.share(people, roundUpBox.isChecked());
    resultView.setText(getString(R.string.result, Bill.format(share)));
  }

  private void clear() {
    billField.setText("");
    roundUpBox.setChecked(false);
    people = 2;
    showPeople();
    resultView.setText(R.string.result_empty);
  }
}
