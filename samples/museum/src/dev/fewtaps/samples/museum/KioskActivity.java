package dev.fewtaps.samples.museum;

import android.app.Activity;
import android.content.Intent;
import android.os.Bundle;
import android.view.View;
import android.view.ViewGroup;
import android.widget.Button;
import android.widget.TextView;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** A screen of a lent device: Back does nothing, and whoever goes on does not come back. */
abstract class KioskActivity extends Activity {
  /** The screens at which a visit can be taken up again. */
  static final List<Class<? extends Activity>> SCREENS =
      Collections.unmodifiableList(
          Arrays.asList(
              TourActivity.class,
              CafeActivity.class,
              ShopActivity.class,
              SurveyActivity.class,
              TeamActivity.class,
              HuntActivity.class,
              PrizeActivity.class,
              DeskActivity.class,
              ArchiveActivity.class,
              FarewellActivity.class));

  Visit visit;

  @Override
  protected void onCreate(Bundle savedInstanceState) {
    super.onCreate(savedInstanceState);
    visit = new Visit(this);
  }

  @Override
  public void onBackPressed() {
    // The guide is all there is on this device.
  }

  /** Leaves this screen for good. */
  final void goOn(Class<? extends Activity> screen) {
    visit.setScreen(screen);
    startActivity(new Intent(this, screen));
    finish();
  }

  final void say(int id, String text) {
    this.<TextView>findViewById(id).setText(text);
  }

  final void onTap(int id, Runnable action) {
    findViewById(id).setOnClickListener(view -> action.run());
  }

  /** Adds a button at the end of a column. */
  final Button addButton(int column, String text, View.OnClickListener listener) {
    Button button = new Button(this);
    button.setText(text);
    button.setOnClickListener(listener);
    this.<ViewGroup>findViewById(column).addView(button);
    return button;
  }
}
