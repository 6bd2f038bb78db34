package dev.fewtaps.samples.lab;

import android.content.Context;
import android.text.Editable;
import android.text.TextWatcher;
import android.view.KeyEvent;
import android.view.inputmethod.EditorInfo;
import android.view.inputmethod.InputMethodManager;
import android.widget.EditText;

/** Text fields of several kinds; reports text, editor actions and keys. */
public final class KeyboardActivity extends LabActivity {
  @Override
  protected void fill() {
    extra(R.layout.keyboard);
    for (int id : new int[] {R.id.text, R.id.number, R.id.secret, R.id.search, R.id.lines}) {
      EditText field = findViewById(id);
      field.setOnEditorActionListener(
          (view, action, event) -> {
            say("action " + name(action) + " on " + view.getHint());
            return false;
          });
      field.addTextChangedListener(new Watcher(field));
    }
    button("Show keyboard", () -> {
      EditText field = findViewById(R.id.text);
      field.requestFocus();
      keyboard().showSoftInput(field, 0);
    });
    button("Hide keyboard", () -> keyboard().hideSoftInputFromWindow(findViewById(R.id.text).getWindowToken(), 0));
  }

  private InputMethodManager keyboard() {
    return (InputMethodManager) getSystemService(Context.INPUT_METHOD_SERVICE);
  }

  private static String name(int action) {
    switch (action) {
      case EditorInfo.IME_ACTION_NEXT:
        return "next";
      case EditorInfo.IME_ACTION_DONE:
        return "done";
      case EditorInfo.IME_ACTION_SEARCH:
        return "search";
      default:
        return String.valueOf(action);
    }
  }

  @Override
  public boolean onKeyDown(int keyCode, KeyEvent event) {
    say("key " + KeyEvent.keyCodeToString(keyCode));
    return super.onKeyDown(keyCode, event);
  }

  private final class Watcher implements TextWatcher {
    private final EditText field;

    Watcher(EditText field) {
      this.field = field;
    }

    @Override
    public void beforeTextChanged(CharSequence text, int start, int count, int after) {}

    @Override
    public void onTextChanged(CharSequence text, int start, int before, int count) {}

    @Override
    public void afterTextChanged(Editable text) {
      clearLog();
      say(field.getHint() + " = " + text);
    }
  }
}
