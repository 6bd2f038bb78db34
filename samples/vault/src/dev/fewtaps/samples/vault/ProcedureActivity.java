package dev.fewtaps.samples.vault;

import android.app.Activity;
import android.app.AlertDialog;
import android.content.Intent;
import android.os.Bundle;
import android.view.Menu;
import android.view.MenuItem;
import android.view.ViewGroup;
import android.widget.TextView;
import java.util.Arrays;
import java.util.List;

/** Leads through the steps of a release. Whatever is wrong sets off the alarm, and all begins anew. */
public final class ProcedureActivity extends Activity {
  private final List<Stage> stages =
      Arrays.asList(
          new RoleStage(),
          new BadgeStage(),
          new AirlockStage(),
          new LampStage(),
          new PartnerStage(),
          new KeyStage(),
          new DialStage(),
          new AisleStage(),
          new RowStage(),
          new BoxStage(),
          new SealStage(),
          new SignStage());
  private int number;

  final Release release = new Release();

  @Override
  protected void onCreate(Bundle savedInstanceState) {
    super.onCreate(savedInstanceState);
    setContentView(R.layout.procedure);
    showStage();
  }

  @Override
  public boolean onCreateOptionsMenu(Menu menu) {
    getMenuInflater().inflate(R.menu.procedure, menu);
    return true;
  }

  @Override
  public boolean onOptionsItemSelected(MenuItem item) {
    switch (item.getItemId()) {
      case R.id.action_help:
        new AlertDialog.Builder(this)
            .setMessage(R.string.help_text)
            .setPositiveButton(R.string.good, null)
            .show();
        return true;
      case R.id.action_abandon:
        alarm(R.string.alarm_left);
        return true;
      default:
        return super.onOptionsItemSelected(item);
    }
  }

  @Override
  public void onBackPressed() {
    alarm(R.string.alarm_left);
  }

  private void showStage() {
    Stage stage = stages.get(number);
    setTitle(getString(R.string.step, number + 1, stages.size()));
    this.<TextView>findViewById(R.id.instruction).setText(stage.instruction);
    say("");
    ViewGroup place = findViewById(R.id.stage);
    place.removeAllViews();
    getLayoutInflater().inflate(stage.layout, place, true);
    stage.open(this);
  }

  /** The step was done as it should be. */
  void passed() {
    number++;
    if (number < stages.size()) {
      showStage();
      return;
    }
    startActivity(
        new Intent(this, BoxActivity.class)
            .putExtra(BoxActivity.EXTRA_BADGE, release.badge)
            .putExtra(BoxActivity.EXTRA_INITIALS, release.initials));
    finish();
  }

  void alarm(int reason) {
    alarm(getString(reason));
  }

  /** The step was done wrongly: all begins anew. */
  void alarm(String reason) {
    startActivity(new Intent(this, AlarmActivity.class).putExtra(AlarmActivity.EXTRA_REASON, reason));
    finish();
  }

  /** Says something that does no harm. */
  void say(String text) {
    this.<TextView>findViewById(R.id.said).setText(text);
  }
}
