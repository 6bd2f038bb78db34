package dev.fewtaps.samples.luggage;

import android.app.Activity;
import android.content.Intent;
import android.view.View;
import android.widget.Button;
import android.widget.EditText;
import android.widget.LinearLayout;
import android.widget.TextView;

/** A column of widgets. */
abstract class Page extends Activity {
  private LinearLayout column;

  LinearLayout column() {
    if (column == null) {
      column = new LinearLayout(this);
      column.setOrientation(LinearLayout.VERTICAL);
      setContentView(column);
    }
    return column;
  }

  void button(int id, int text, View.OnClickListener onClick) {
    Button button = new Button(this);
    button.setId(id);
    button.setText(text);
    button.setOnClickListener(onClick);
    column().addView(button);
  }

  TextView text(String text) {
    TextView view = new TextView(this);
    view.setId(R.id.text);
    view.setText(text);
    column().addView(view);
    return view;
  }

  void field() {
    EditText field = new EditText(this);
    field.setId(R.id.field);
    column().addView(field);
  }

  void open(Class<? extends Activity> page) {
    startActivity(new Intent(this, page));
  }
}
