package dev.fewtaps.twin.inside;

import android.graphics.Bitmap;
import android.webkit.WebBackForwardList;
import android.webkit.WebHistoryItem;
import java.util.ArrayList;
import java.util.List;

/** The pages that a web view has shown, and which of them is in front. */
final class WebHistory extends WebBackForwardList {
  /**
   * A page: its address or, where the app handed over the page itself, its content.
   *
   * @param base the address that links in the content are relative to
   */
  static final class Page extends WebHistoryItem {
    final String url;
    final String content;
    final String type;
    final String base;
    String title;

    Page(String url, String content, String type, String base) {
      this.url = url;
      this.content = content;
      this.type = type;
      this.base = base;
    }

    @Override
    public int getId() {
      return 0;
    }

    @Override
    public String getUrl() {
      return url;
    }

    @Override
    public String getOriginalUrl() {
      return url;
    }

    @Override
    public String getTitle() {
      return title == null ? url : title;
    }

    @Override
    public Bitmap getFavicon() {
      return null;
    }

    @Override
    protected Page clone() {
      Page copy = new Page(url, content, type, base);
      copy.title = title;
      return copy;
    }
  }

  private final List<Page> pages = new ArrayList<>();
  private int current = -1;

  /** Adds a page after the one in front; those that came after that one are forgotten. */
  void add(Page page) {
    if (current >= 0 && pages.get(current).url.equals(page.url)) {
      pages.set(current, page);
      return;
    }
    pages.subList(current + 1, pages.size()).clear();
    pages.add(page);
    current = pages.size() - 1;
  }

  /** Forgets all pages but the one in front. */
  void clear() {
    if (current >= 0) {
      Page page = pages.get(current);
      pages.clear();
      pages.add(page);
      current = 0;
    }
  }

  boolean canGo(int steps) {
    return current + steps >= 0 && current + steps < pages.size();
  }

  void go(int steps) {
    current += steps;
  }

  @Override
  public Page getCurrentItem() {
    return getItemAtIndex(current);
  }

  @Override
  public int getCurrentIndex() {
    return current;
  }

  @Override
  public Page getItemAtIndex(int index) {
    return index < 0 || index >= pages.size() ? null : pages.get(index);
  }

  @Override
  public int getSize() {
    return pages.size();
  }

  @Override
  protected WebHistory clone() {
    return copy();
  }

  WebHistory copy() {
    WebHistory copy = new WebHistory();
    pages.forEach(page -> copy.pages.add(page.clone()));
    copy.current = current;
    return copy;
  }
}
