package dev.fewtaps.samples.timer;

import android.app.Activity;
import android.app.AlertDialog;
import android.content.Intent;
import android.media.AudioManager;
import android.os.Bundle;
import android.view.SoundEffectConstants;
import android.widget.CheckBox;
import android.widget.Spinner;
import android.widget.TextView;
import java.util.ArrayList;

/** Counts the seconds of an exercise. */
public final class TimerActivity extends Activity {
  private static final int SHORTEST = 2;
  private static final int LONGEST = 10;

  private final ArrayList<String> log = new ArrayList<>();
  private int seconds = 3;
  /** Null while nobody exercises. */
  private Exercise exercise;
  private Ticker ticker;

  @Override
  protected void onCreate(Bundle savedInstanceState) {
    super.onCreate(savedInstanceState);
    setContentView(R.layout.timer);
    findViewById(R.id.shorter).setOnClickListener(view -> setSeconds(seconds - 1));
    findViewById(R.id.longer).setOnClickListener(view -> setSeconds(seconds + 1));
    findViewById(R.id.start).setOnClickListener(view -> start());
    findViewById(R.id.stop).setOnClickListener(view -> askToStop());
    findViewById(R.id.log).setOnClickListener(view -> openLog());
    setSeconds(seconds);
  }

  @Override
  protected void onDestroy() {
    if (ticker != null) {
      ticker.stop();
    }
    super.onDestroy();
  }

  private void setSeconds(int wanted) {
    seconds = Math.max(SHORTEST, Math.min(wanted, LONGEST));
    this.<TextView>findViewById(R.id.duration).setText(getString(R.string.seconds, seconds));
  }

  private void start() {
    String name = (String) this.<Spinner>findViewById(R.id.exercise).getSelectedItem();
    exercise = new Exercise(name, seconds);
    ticker = new Ticker(this::tick);
    showRunning(true);
    say(getString(R.string.left, name, exercise.secondsLeft));
  }

  private void tick() {
    if (exercise == null) {
      return;
    }
    exercise.secondsLeft--;
    if (exercise.secondsLeft > 0) {
      say(getString(R.string.left, exercise.name, exercise.secondsLeft));
    } else {
      ring();
      end(getString(R.string.done, exercise.name));
    }
  }

  private void ring() {
    if (!this.<CheckBox>findViewById(R.id.silent).isChecked()) {
      getSystemService(AudioManager.class).playSoundEffect(SoundEffectConstants.CLICK);
    }
  }

  private void askToStop() {
    new AlertDialog.Builder(this)
        .setMessage(R.string.stop_question)
        .setPositiveButton(R.string.stop, (dialog, which) -> stop())
        .setNegativeButton(R.string.keep_going, null)
        .setCancelable(false)
        .show();
  }

  private void stop() {
    // The defect: the exercise may have come to its end while the question was on the screen.
    end(getString(R.string.stopped, exercise.name, exercise.secondsLeft));
  }

  private void end(String result) {
    exercise = null;
    ticker.stop();
    log.add(result);
    say(result);
    showRunning(false);
  }

  private void showRunning(boolean running) {
    findViewById(R.id.start).setEnabled(!running);
    findViewById(R.id.stop).setEnabled(running);
    findViewById(R.id.exercise).setEnabled(!running);
  }

  private void say(String text) {
    this.<TextView>findViewById(R.id.status).setText(text);
  }

  private void openLog() {
    startActivity(new Intent(this, LogActivity.class).putStringArrayListExtra(LogActivity.EXTRA_ENTRIES, log));
  }
}
