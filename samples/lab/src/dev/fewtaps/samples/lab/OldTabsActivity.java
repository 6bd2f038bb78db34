package dev.fewtaps.samples.lab;

import android.app.TabActivity;
import android.content.Intent;
import android.os.Bundle;
import android.widget.TabHost;

/** Tabs as they were before fragments: each is an activity inside this one. */
public final class OldTabsActivity extends TabActivity {
  @Override
  protected void onCreate(Bundle savedInstanceState) {
    super.onCreate(savedInstanceState);
    TabHost host = getTabHost();
    host.addTab(tab(host, "Toasts", ToastActivity.class));
    host.addTab(tab(host, "Clipboard", ClipboardActivity.class));
  }

  private TabHost.TabSpec tab(TabHost host, String label, Class<?> screen) {
    return host.newTabSpec(label).setIndicator(label).setContent(new Intent(this, screen));
  }
}
