package dev.fewtaps.samples.feed;

import android.app.Activity;
import android.content.Intent;
import android.os.AsyncTask;
import android.os.Bundle;
import android.os.Handler;
import android.view.Menu;
import android.view.MenuItem;
import android.view.View;
import android.widget.ListView;
import android.widget.TextView;
import java.util.ArrayList;
import java.util.List;

/** The list of unread articles; loads in the background, in two ways, while the user goes on. */
public final class FeedActivity extends Activity {
  private final List<Article> articles = new ArrayList<>();
  private final Handler handler = new Handler();
  private ArticleAdapter adapter;
  private Server server;

  @Override
  protected void onCreate(Bundle savedInstanceState) {
    super.onCreate(savedInstanceState);
    setContentView(R.layout.feed);
    server = new Server(getAssets());
    adapter = new ArticleAdapter(this, articles);
    ListView list = findViewById(R.id.list);
    list.setAdapter(adapter);
    list.setEmptyView(findViewById(R.id.empty));
    list.setOnItemClickListener((parent, view, position, id) -> open(articles.get(position)));
    findViewById(R.id.more).setOnClickListener(this::loadMore);
    new RefreshTask().execute();
  }

  @Override
  public boolean onCreateOptionsMenu(Menu menu) {
    getMenuInflater().inflate(R.menu.feed, menu);
    return true;
  }

  @Override
  public boolean onOptionsItemSelected(MenuItem item) {
    switch (item.getItemId()) {
      case R.id.action_refresh:
        loadComments();
        new RefreshTask().execute();
        return true;
      case R.id.action_clear:
        articles.clear();
        showArticles();
        return true;
      default:
        return super.onOptionsItemSelected(item);
    }
  }

  private void open(Article article) {
    Server.markRead(article.id);
    startActivity(new Intent(this, ArticleActivity.class).putExtra(ArticleActivity.EXTRA_TITLE, article.title));
  }

  private void loadComments() {
    int[] ids = new int[articles.size()];
    for (int i = 0; i < ids.length; i++) {
      ids[i] = articles.get(i).id;
    }
    new Thread(
            () -> {
              int[] counts = server.comments(ids);
              handler.post(() -> showComments(counts));
            },
            "comments")
        .start();
  }

  private void showComments(int[] counts) {
    for (int i = 0; i < counts.length; i++) {
      // Defect 1: the counts belong to the list as it was; a refresh that was faster may have made it shorter.
      articles.get(i).comments = counts[i];
    }
    adapter.notifyDataSetChanged();
  }

  private void loadMore(View button) {
    if (articles.isEmpty()) {
      return;
    }
    button.setEnabled(false);
    int last = articles.get(articles.size() - 1).id;
    new Thread(
            () -> {
              List<Article> page = server.pageAfter(last);
              handler.post(() -> append(page));
            },
            "more")
        .start();
  }

  private void append(List<Article> page) {
    // Defect 2: the user may have cleared the list while the page was under way.
    int last = articles.get(articles.size() - 1).id;
    for (Article article : page) {
      if (article.id > last) {
        articles.add(article);
      }
    }
    findViewById(R.id.more).setEnabled(true);
    showArticles();
  }

  private void showArticles() {
    this.<TextView>findViewById(R.id.status).setText(getString(R.string.up_to_date, articles.size()));
    adapter.notifyDataSetChanged();
  }

  private final class RefreshTask extends AsyncTask<Void, Void, List<Article>> {
    @Override
    protected void onPreExecute() {
      FeedActivity.this.<TextView>findViewById(R.id.status).setText(R.string.loading);
    }

    @Override
    protected List<Article> doInBackground(Void... nothing) {
      return server.firstPage();
    }

    @Override
    protected void onPostExecute(List<Article> page) {
      articles.clear();
      articles.addAll(page);
      showArticles();
    }
  }
}
