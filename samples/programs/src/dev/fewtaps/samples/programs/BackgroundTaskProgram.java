package dev.fewtaps.samples.programs;

import android.os.AsyncTask;
import android.view.View;

/** The result of an AsyncTask goes to its onPostExecute; the argument travels in an array. */
// Played: open, go. In the slice: 2.
public final class BackgroundTaskProgram extends Program {
  @Override
  public void go(View view) {
    new Task().execute(3); // full thin
  }

  static final class Task extends AsyncTask<Integer, Void, Integer> {
    @Override
    protected Integer doInBackground(Integer... values) {
      return values[0] - 3; // full thin
    }

    @Override
    protected void onPostExecute(Integer result) {
      int share = 100 / result; // full thin
      cancel(share > 0);
    }
  }
}
