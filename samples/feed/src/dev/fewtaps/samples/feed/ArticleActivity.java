package dev.fewtaps.samples.feed;

import android.app.Activity;
import android.os.Bundle;
import android.widget.TextView;

/** One article. */
public final class ArticleActivity extends Activity {
  static final String EXTRA_TITLE = "title";

  @Override
  protected void onCreate(Bundle savedInstanceState) {
    super.onCreate(savedInstanceState);
    setContentView(R.layout.article);
    this.<TextView>findViewById(R.id.title).setText(getIntent().getStringExtra(EXTRA_TITLE));
  }
}
