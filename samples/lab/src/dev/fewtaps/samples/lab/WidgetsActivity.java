package dev.fewtaps.samples.lab;

import android.view.View;
import android.widget.AdapterView;
import android.widget.ArrayAdapter;
import android.widget.AutoCompleteTextView;
import android.widget.CheckBox;
import android.widget.ProgressBar;
import android.widget.RadioGroup;
import android.widget.RatingBar;
import android.widget.SeekBar;
import android.widget.Spinner;
import android.widget.Switch;

/** The common widgets, each reporting its changes. */
public final class WidgetsActivity extends LabActivity {
  @Override
  protected void fill() {
    extra(R.layout.widgets);
    String[] planets = getResources().getStringArray(R.array.planets);
    fillSpinner(planets);
    this.<CheckBox>findViewById(R.id.check)
        .setOnCheckedChangeListener((view, checked) -> say("check " + checked));
    this.<Switch>findViewById(R.id.toggle)
        .setOnCheckedChangeListener((view, checked) -> say("switch " + checked));
    this.<RadioGroup>findViewById(R.id.radio)
        .setOnCheckedChangeListener((group, id) -> say("radio " + (id == R.id.left ? "left" : "right")));
    this.<RatingBar>findViewById(R.id.rating)
        .setOnRatingBarChangeListener((bar, rating, fromUser) -> say("rating " + rating));
    fillSeekBar();
    AutoCompleteTextView complete = findViewById(R.id.complete);
    complete.setAdapter(new ArrayAdapter<>(this, android.R.layout.simple_dropdown_item_1line, planets));
    complete.setOnItemClickListener(
        (parent, view, position, id) -> say("completed " + parent.getItemAtPosition(position)));
    button("Progress", () -> this.<ProgressBar>findViewById(R.id.progress).incrementProgressBy(3));
    button("Inflate stub", this::inflateStub);
    button("Plurals", () -> {
      say(getResources().getQuantityString(R.plurals.items, 1, 1));
      say(getResources().getQuantityString(R.plurals.items, 5, 5));
    });
    button("Disabled", () -> say("never")).setEnabled(false);
  }

  private void fillSpinner(String[] planets) {
    Spinner spinner = findViewById(R.id.spinner);
    spinner.setAdapter(new ArrayAdapter<>(this, android.R.layout.simple_spinner_dropdown_item, planets));
    spinner.setOnItemSelectedListener(
        new AdapterView.OnItemSelectedListener() {
          @Override
          public void onItemSelected(AdapterView<?> parent, View view, int position, long id) {
            say("spinner " + planets[position]);
          }

          @Override
          public void onNothingSelected(AdapterView<?> parent) {}
        });
  }

  private void fillSeekBar() {
    this.<SeekBar>findViewById(R.id.seek)
        .setOnSeekBarChangeListener(
            new SeekBar.OnSeekBarChangeListener() {
              @Override
              public void onProgressChanged(SeekBar bar, int progress, boolean fromUser) {}

              @Override
              public void onStartTrackingTouch(SeekBar bar) {}

              @Override
              public void onStopTrackingTouch(SeekBar bar) {
                say("seek " + bar.getProgress());
              }
            });
  }

  private void inflateStub() {
    View stub = findViewById(R.id.stub);
    if (stub != null) {
      stub.setVisibility(View.VISIBLE);
      say("inflated " + (findViewById(R.id.inflated) != null));
    }
  }
}
