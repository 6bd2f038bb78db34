package dev.fewtaps.samples.gadgets;

import android.graphics.Bitmap;
import android.net.Uri;
import android.view.ViewGroup;
import android.webkit.WebResourceError;
import android.webkit.WebResourceRequest;
import android.webkit.WebView;
import android.webkit.WebViewClient;
import android.widget.LinearLayout;

/** Shows pages of help. */
public final class PageActivity extends Gadget {
  private static final String HELP = "file:///android_asset/help.html";

  private WebView web;

  @Override
  void fill() {
    web = new WebView(this);
    web.setWebViewClient(new Guide());
    button("Back", () -> say("back " + web.canGoBack()));
    page().addView(web, new LinearLayout.LayoutParams(ViewGroup.LayoutParams.MATCH_PARENT, 900));
    web.loadUrl(HELP);
  }

  @Override
  public void onBackPressed() {
    if (web.canGoBack()) {
      web.goBack();
    } else {
      super.onBackPressed();
    }
  }

  /** Says what is loaded, and gives tips. */
  private final class Guide extends WebViewClient {
    @Override
    public boolean shouldOverrideUrlLoading(WebView view, WebResourceRequest request) {
      Uri uri = request.getUrl();
      if ("gadgets".equals(uri.getScheme())) {
        String number = uri.getSchemeSpecificPart().replace("tip?", "");
        say("tip " + Integer.parseInt(number)); // The page has words for numbers.
        return true;
      }
      return false;
    }

    @Override
    public void onPageStarted(WebView view, String url, Bitmap icon) {
      say("started " + url);
    }

    @Override
    public void onPageFinished(WebView view, String url) {
      say("finished " + view.getTitle());
    }

    @Override
    public void onReceivedError(WebView view, WebResourceRequest request, WebResourceError error) {
      say("error " + error.getErrorCode() + " " + error.getDescription());
    }
  }
}
