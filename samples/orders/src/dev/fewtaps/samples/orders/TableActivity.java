package dev.fewtaps.samples.orders;

import android.app.Activity;
import android.os.AsyncTask;
import android.os.Bundle;
import android.text.TextUtils;
import android.view.Menu;
import android.view.MenuItem;
import android.widget.CheckBox;
import android.widget.TextView;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A waiter's slip: dishes for a table, sent to the kitchen by two tasks in the background. */
public final class TableActivity extends Activity {
  private static final int TABLES = 6;

  private final Kitchen kitchen = new Kitchen();
  private final ExecutorService estimates = Executors.newSingleThreadExecutor();
  private final List<String> dishes = new ArrayList<>();
  private int table = 1;
  private int sent;
  /** The ticket of the order that was sent last; null until the kitchen has it. */
  private Ticket ticket;

  @Override
  protected void onCreate(Bundle savedInstanceState) {
    super.onCreate(savedInstanceState);
    setContentView(R.layout.table);
    findViewById(R.id.soup).setOnClickListener(view -> add(R.string.soup));
    findViewById(R.id.pie).setOnClickListener(view -> add(R.string.pie));
    findViewById(R.id.salad).setOnClickListener(view -> add(R.string.salad));
    findViewById(R.id.take_back).setOnClickListener(view -> takeBack());
    findViewById(R.id.send).setOnClickListener(view -> send());
    showSlip();
  }

  @Override
  protected void onDestroy() {
    estimates.shutdown();
    super.onDestroy();
  }

  @Override
  public boolean onCreateOptionsMenu(Menu menu) {
    getMenuInflater().inflate(R.menu.table, menu);
    return true;
  }

  @Override
  public boolean onOptionsItemSelected(MenuItem item) {
    table = table % TABLES + 1;
    dishes.clear();
    showSlip();
    return true;
  }

  private void add(int dish) {
    dishes.add(getString(dish));
    showSlip();
  }

  private void takeBack() {
    if (!dishes.isEmpty()) {
      dishes.remove(dishes.size() - 1);
    }
    showSlip();
  }

  private void send() {
    if (dishes.isEmpty()) {
      say(getString(R.string.empty_slip));
      return;
    }
    List<String> order = new ArrayList<>(dishes);
    boolean hurry = this.<CheckBox>findViewById(R.id.hurry).isChecked();
    ticket = null;
    dishes.clear();
    showSlip();
    say(getString(R.string.sending));
    new TicketTask().executeOnExecutor(AsyncTask.THREAD_POOL_EXECUTOR, table);
    estimates.execute(
        () -> {
          int minutes = kitchen.minutes(order, hurry);
          runOnUiThread(() -> showMinutes(minutes));
        });
  }

  private void showMinutes(int minutes) {
    // The defect: the estimate may be there before the ticket.
    say(getString(R.string.minutes, ticket.number, minutes));
  }

  private void showSlip() {
    String list = dishes.isEmpty() ? getString(R.string.nothing) : TextUtils.join(", ", dishes);
    this.<TextView>findViewById(R.id.slip)
        .setText(getString(R.string.slip, getString(R.string.table, table), list));
    this.<TextView>findViewById(R.id.tickets).setText(getString(R.string.tickets, sent));
  }

  private void say(String text) {
    this.<TextView>findViewById(R.id.status).setText(text);
  }

  private final class TicketTask extends AsyncTask<Integer, Void, Ticket> {
    @Override
    protected Ticket doInBackground(Integer... tables) {
      return kitchen.accept(tables[0]);
    }

    @Override
    protected void onPostExecute(Ticket written) {
      ticket = written;
      sent++;
      say(getString(R.string.cooking, written.number));
      showSlip();
    }
  }
}
