package dev.fewtaps.samples.lab;

import android.content.Intent;

/** Starts an activity for a result, and shows what came back. */
public final class ResultActivity extends LabActivity {
  private static final int ASK_NAME = 7;
  private static final int ASK_AGAIN = 8;

  @Override
  protected void fill() {
    button("Ask for a name", () -> startActivityForResult(new Intent(this, AnswerActivity.class), ASK_NAME));
    button("Ask with a guess", this::askWithGuess);
  }

  private void askWithGuess() {
    Intent intent = new Intent(this, AnswerActivity.class).putExtra(AnswerActivity.EXTRA_GUESS, "Grace");
    startActivityForResult(intent, ASK_AGAIN);
  }

  @Override
  protected void onActivityResult(int requestCode, int resultCode, Intent data) {
    super.onActivityResult(requestCode, resultCode, data);
    if (resultCode == RESULT_OK) {
      say("request " + requestCode + " ok: " + data.getStringExtra(AnswerActivity.EXTRA_NAME));
    } else {
      say("request " + requestCode + " canceled, data " + data);
    }
  }
}
