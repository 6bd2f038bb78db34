package dev.fewtaps.samples.lab;

import android.content.Intent;
import android.os.Bundle;

/** Shows the callbacks of its own life, across instances. */
public final class LifecycleActivity extends LabActivity {
  private static final Journal CALLS = LabApplication.LIFECYCLE;

  @Override
  protected void onCreate(Bundle savedInstanceState) {
    CALLS.add(savedInstanceState == null ? "create" : "create again");
    super.onCreate(savedInstanceState);
  }

  @Override
  protected void fill() {
    button("Show", () -> {
      clearLog();
      say(CALLS.text());
    });
    button("Forget", () -> {
      CALLS.clear();
      clearLog();
    });
    button("Cover", () -> startActivity(new Intent(this, AnswerActivity.class)));
    button("Finish", this::finish);
  }

  @Override
  protected void onRestart() {
    CALLS.add("restart");
    super.onRestart();
  }

  @Override
  protected void onStart() {
    CALLS.add("start");
    super.onStart();
  }

  @Override
  protected void onRestoreInstanceState(Bundle savedInstanceState) {
    CALLS.add("restore");
    super.onRestoreInstanceState(savedInstanceState);
  }

  @Override
  protected void onPostCreate(Bundle savedInstanceState) {
    CALLS.add("post create");
    super.onPostCreate(savedInstanceState);
  }

  @Override
  protected void onResume() {
    CALLS.add("resume");
    super.onResume();
  }

  @Override
  protected void onPostResume() {
    CALLS.add("post resume");
    super.onPostResume();
    clearLog();
    say(CALLS.text());
  }

  @Override
  public void onWindowFocusChanged(boolean hasFocus) {
    CALLS.add(hasFocus ? "focus" : "no focus");
    super.onWindowFocusChanged(hasFocus);
  }

  @Override
  protected void onUserLeaveHint() {
    CALLS.add("leave hint");
    super.onUserLeaveHint();
  }

  @Override
  protected void onPause() {
    CALLS.add("pause");
    super.onPause();
  }

  @Override
  protected void onSaveInstanceState(Bundle outState) {
    CALLS.add("save");
    super.onSaveInstanceState(outState);
  }

  @Override
  protected void onStop() {
    CALLS.add("stop");
    super.onStop();
  }

  @Override
  protected void onDestroy() {
    CALLS.add(isFinishing() ? "destroy finishing" : "destroy");
    super.onDestroy();
  }
}
