package dev.fewtaps.samples.lab;

import android.app.Activity;
import android.os.Bundle;
import android.widget.TabHost;
import android.widget.TextView;

/** Two tabs in a tab host. */
public final class TabsActivity extends Activity {
  @Override
  protected void onCreate(Bundle savedInstanceState) {
    super.onCreate(savedInstanceState);
    setContentView(R.layout.tabs);
    TabHost host = findViewById(android.R.id.tabhost);
    host.setup();
    host.addTab(host.newTabSpec("first").setIndicator("First").setContent(R.id.first));
    host.addTab(host.newTabSpec("second").setIndicator("Second").setContent(R.id.second));
    host.setOnTabChangedListener(tag -> this.<TextView>findViewById(R.id.log).setText("tab " + tag));
  }
}
