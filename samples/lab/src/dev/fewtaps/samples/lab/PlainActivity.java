package dev.fewtaps.samples.lab;

import android.app.Activity;
import android.os.Bundle;
import android.text.Html;
import android.text.method.LinkMovementMethod;
import android.view.Menu;
import android.widget.TextView;

/** A screen that leaves its looks to the phone, with a link and a menu. */
public final class PlainActivity extends Activity {
  @Override
  protected void onCreate(Bundle savedInstanceState) {
    super.onCreate(savedInstanceState);
    TextView link = new TextView(this);
    link.setText(Html.fromHtml("<a href=\"geo:5.55,0.0\">Somewhere in Accra</a>", 0));
    link.setMovementMethod(LinkMovementMethod.getInstance());
    setContentView(link);
  }

  @Override
  public boolean onCreateOptionsMenu(Menu menu) {
    menu.add("Help");
    return true;
  }
}
