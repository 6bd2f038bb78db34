package dev.fewtaps.samples.tipsplit;

import android.app.Activity;
import android.content.Context;
import android.content.SharedPreferences;
import android.os.Bundle;
import android.view.View;
import android.widget.RadioButton;
import android.widget.RadioGroup;
import android.widget.Toast;

/** Lets the user choose the tip that new bills start with. */
public final class SettingsActivity extends Activity {
  private static final String PREFERENCES = "settings";
  private static final String KEY_TIP = "tip";
  private static final int PERCENT_STEP = 5;

  private RadioGroup tipsGroup;

  @Override
  protected void onCreate(Bundle savedInstanceState) {
    super.onCreate(savedInstanceState);
    setContentView(R.layout.settings);
    tipsGroup = findViewById(R.id.tips);
    String[] tips = getResources().getStringArray(R.array.tips);
    for (int i = 0; i < tips.length; i++) {
      RadioButton choice = new RadioButton(this);
      choice.setId(i + 1);
      choice.setText(tips[i]);
      tipsGroup.addView(choice);
    }
    tipsGroup.check(defaultTip(this) + 1);
    findViewById(R.id.save).setOnClickListener(this::save);
  }

  private void save(View button) {
    preferences(this).edit().putInt(KEY_TIP, tipsGroup.getCheckedRadioButtonId() - 1).apply();
    Toast.makeText(this, R.string.saved, Toast.LENGTH_SHORT).show();
    finish();
  }

  /** The position, in the list of tips, of the one that new bills start with. */
  static int defaultTip(Context context) {
    return preferences(context).getInt(KEY_TIP, 2);
  }

  static int percent(int position) {
    return position * PERCENT_STEP;
  }

  private static SharedPreferences preferences(Context context) {
    return context.getSharedPreferences(PREFERENCES, MODE_PRIVATE);
  }
}
