package dev.fewtaps.samples.lab;

import android.content.Intent;

/** One of the targets of the launch mode tests; counts its instances and its new intents. */
abstract class ModeActivity extends LabActivity {
  private static int instances;

  private final int number = ++instances;
  private int newIntents;

  @Override
  protected void fill() {
    button("Standard", () -> startActivity(new Intent(this, StandardActivity.class)));
    button("Single top", () -> startActivity(new Intent(this, SingleTopActivity.class)));
    button("Single task", () -> startActivity(new Intent(this, SingleTaskActivity.class)));
    button("Single instance", () -> startActivity(new Intent(this, SingleInstanceActivity.class)));
    button("Finish", this::finish);
    button("Task", () -> say("task root: " + isTaskRoot()));
    say(getClass().getSimpleName() + " instance " + number);
  }

  @Override
  protected void onNewIntent(Intent intent) {
    super.onNewIntent(intent);
    newIntents++;
    say("new intent " + newIntents);
  }
}
