package dev.fewtaps.samples.vault;

import android.app.Activity;
import android.os.Bundle;
import android.text.TextUtils;
import android.widget.TextView;
import java.util.ArrayList;
import java.util.List;

/** The open box, behind all twelve steps. */
public final class BoxActivity extends Activity {
  static final String EXTRA_BADGE = "badge";
  static final String EXTRA_INITIALS = "initials";

  private final List<String> outside = new ArrayList<>();
  private String[] contents;

  @Override
  protected void onCreate(Bundle savedInstanceState) {
    super.onCreate(savedInstanceState);
    setContentView(R.layout.box_open);
    contents = getResources().getStringArray(R.array.contents);
    findViewById(R.id.take).setOnClickListener(view -> take());
    findViewById(R.id.put).setOnClickListener(view -> putBack());
    findViewById(R.id.receipt).setOnClickListener(view -> print());
    findViewById(R.id.lock).setOnClickListener(view -> lock());
    showTable();
  }

  private void say(String text) {
    this.<TextView>findViewById(R.id.paper).setText(text);
  }

  private void showTable() {
    String things = outside.isEmpty() ? getString(R.string.nothing) : TextUtils.join(", ", outside);
    this.<TextView>findViewById(R.id.table).setText(getString(R.string.outside, things));
  }

  private void take() {
    if (outside.size() < contents.length) {
      outside.add(contents[outside.size()]);
    } else {
      say(getString(R.string.empty_box));
    }
    showTable();
  }

  private void putBack() {
    if (!outside.isEmpty()) {
      outside.remove(outside.size() - 1);
    }
    showTable();
  }

  private void print() {
    String badge = String.valueOf(getIntent().getIntExtra(EXTRA_BADGE, 0));
    String initials = getIntent().getStringExtra(EXTRA_INITIALS);
    // Defect 5: the receipt wants the badge as a number.
    say(getString(R.string.receipt_line, Release.BOX, badge, initials));
  }

  private void lock() {
    if (outside.isEmpty()) {
      finish();
    } else {
      say(getString(R.string.lock_first));
    }
  }
}
