package dev.fewtaps.samples.notes;

import android.app.Activity;
import android.app.AlertDialog;
import android.os.Bundle;
import android.text.Editable;
import android.text.TextWatcher;
import android.view.Menu;
import android.view.MenuItem;
import android.widget.EditText;
import android.widget.TextView;

/** One note, to be read, changed, renamed and deleted. */
public final class NoteActivity extends Activity {
  static final String EXTRA_ID = "id";

  private NoteStore store;
  private long id;
  private TextView titleView;
  private EditText bodyField;

  @Override
  protected void onCreate(Bundle savedInstanceState) {
    super.onCreate(savedInstanceState);
    setContentView(R.layout.note);
    store = new NoteStore(this);
    id = getIntent().getLongExtra(EXTRA_ID, 0);
    titleView = findViewById(R.id.title);
    bodyField = findViewById(R.id.body);
    titleView.setText(store.get(id, "title"));
    bodyField.setText(store.get(id, "body"));
    countWords();
    bodyField.addTextChangedListener(
        new TextWatcher() {
          @Override
          public void beforeTextChanged(CharSequence text, int start, int count, int after) {}

          @Override
          public void onTextChanged(CharSequence text, int start, int before, int count) {}

          @Override
          public void afterTextChanged(Editable text) {
            countWords();
          }
        });
  }

  private void countWords() {
    String text = bodyField.getText().toString().trim();
    int words = text.isEmpty() ? 0 : text.split("\\s+").length;
    this.<TextView>findViewById(R.id.words).setText(getString(R.string.words, words));
  }

  @Override
  protected void onPause() {
    store.set(id, "body", bodyField.getText().toString());
    super.onPause();
  }

  @Override
  protected void onDestroy() {
    store.close();
    super.onDestroy();
  }

  @Override
  public boolean onCreateOptionsMenu(Menu menu) {
    getMenuInflater().inflate(R.menu.note, menu);
    return true;
  }

  @Override
  public boolean onOptionsItemSelected(MenuItem item) {
    switch (item.getItemId()) {
      case R.id.action_rename:
        RenameDialog.ask(titleView.getText(), this::rename).show(getFragmentManager(), "rename");
        return true;
      case R.id.action_delete:
        askToDelete();
        return true;
      default:
        return super.onOptionsItemSelected(item);
    }
  }

  private void rename(String title) {
    store.set(id, "title", title);
    titleView.setText(title);
  }

  private void askToDelete() {
    new AlertDialog.Builder(this)
        .setMessage(R.string.delete_question)
        .setPositiveButton(R.string.delete, (dialog, which) -> delete())
        .setNegativeButton(R.string.cancel, null)
        .show();
  }

  private void delete() {
    store.delete(id);
    finish();
  }
}
