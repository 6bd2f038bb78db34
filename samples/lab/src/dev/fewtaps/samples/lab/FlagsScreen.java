package dev.fewtaps.samples.lab;

import android.app.Activity;
import android.content.Intent;

/** Starts itself and its siblings with the flags that change the back stack. */
abstract class FlagsScreen extends LabActivity {
  private static final String EXTRA_DEPTH = "depth";
  private static int instances;

  private final int number = ++instances;

  @Override
  protected void fill() {
    button("Deeper", () -> go(FlagsTargetActivity.class, 0));
    button("Clear top", () -> go(FlagsActivity.class, Intent.FLAG_ACTIVITY_CLEAR_TOP));
    button(
        "Clear top, single top",
        () -> go(FlagsActivity.class, Intent.FLAG_ACTIVITY_CLEAR_TOP | Intent.FLAG_ACTIVITY_SINGLE_TOP));
    button("Single top", () -> go(FlagsTargetActivity.class, Intent.FLAG_ACTIVITY_SINGLE_TOP));
    button("Reorder to front", () -> go(FlagsActivity.class, Intent.FLAG_ACTIVITY_REORDER_TO_FRONT));
    button("No history flag", () -> go(FlagsTargetActivity.class, Intent.FLAG_ACTIVITY_NO_HISTORY));
    button("No history activity", () -> go(NoHistoryActivity.class, 0));
    button(
        "Clear task",
        () -> go(FlagsActivity.class, Intent.FLAG_ACTIVITY_NEW_TASK | Intent.FLAG_ACTIVITY_CLEAR_TASK));
    button("Finish affinity", this::finishAffinity);
    button("Move to back", () -> say("moved " + moveTaskToBack(true)));
    say(getClass().getSimpleName() + " instance " + number + " depth " + depth());
  }

  private int depth() {
    return getIntent().getIntExtra(EXTRA_DEPTH, 0);
  }

  private void go(Class<? extends Activity> target, int flags) {
    startActivity(new Intent(this, target).addFlags(flags).putExtra(EXTRA_DEPTH, depth() + 1));
  }

  @Override
  protected void onNewIntent(Intent intent) {
    super.onNewIntent(intent);
    say("new intent depth " + intent.getIntExtra(EXTRA_DEPTH, 0));
  }
}
