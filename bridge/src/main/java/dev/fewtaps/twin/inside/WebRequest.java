package dev.fewtaps.twin.inside;

import android.net.Uri;
import android.webkit.WebResourceError;
import android.webkit.WebResourceRequest;
import java.util.Map;

/** A request of a web view for a page, as its client sees it. */
final class WebRequest implements WebResourceRequest {
  /** Why there is no page, in a browser's words and by the number of {@code WebViewClient}. */
  static final class Failure extends WebResourceError {
    final int code;
    final String words;

    Failure(int code, String words) {
      this.code = code;
      this.words = words;
    }

    @Override
    public int getErrorCode() {
      return code;
    }

    @Override
    public CharSequence getDescription() {
      return words;
    }
  }

  private final String url;
  private final boolean byUser;
  private final String method;
  private final Map<String, String> headers;

  WebRequest(String url, boolean byUser, String method, Map<String, String> headers) {
    this.url = url;
    this.byUser = byUser;
    this.method = method;
    this.headers = headers;
  }

  @Override
  public Uri getUrl() {
    return Uri.parse(url);
  }

  @Override
  public boolean isForMainFrame() {
    return true;
  }

  @Override
  public boolean isRedirect() {
    return false;
  }

  @Override
  public boolean hasGesture() {
    return byUser;
  }

  @Override
  public String getMethod() {
    return method;
  }

  @Override
  public Map<String, String> getRequestHeaders() {
    return headers;
  }
}
