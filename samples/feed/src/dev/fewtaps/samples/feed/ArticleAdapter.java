package dev.fewtaps.samples.feed;

import android.content.Context;
import android.view.LayoutInflater;
import android.view.View;
import android.view.ViewGroup;
import android.widget.BaseAdapter;
import android.widget.TextView;
import java.util.List;

/** Shows articles with their number of comments, once that is known. */
final class ArticleAdapter extends BaseAdapter {
  private final LayoutInflater inflater;
  private final List<Article> articles;

  ArticleAdapter(Context context, List<Article> articles) {
    this.inflater = LayoutInflater.from(context);
    this.articles = articles;
  }

  @Override
  public int getCount() {
    return articles.size();
  }

  @Override
  public Article getItem(int position) {
    return articles.get(position);
  }

  @Override
  public long getItemId(int position) {
    return articles.get(position).id;
  }

  @Override
  public View getView(int position, View convertView, ViewGroup parent) {
    View row = convertView;
    if (row == null) {
      row = inflater.inflate(android.R.layout.simple_list_item_2, parent, false);
    }
    Article article = articles.get(position);
    row.<TextView>findViewById(android.R.id.text1).setText(article.title);
    TextView comments = row.findViewById(android.R.id.text2);
    comments.setText(
        article.comments < 0 ? "" : parent.getResources().getString(R.string.comments, article.comments));
    return row;
  }
}
