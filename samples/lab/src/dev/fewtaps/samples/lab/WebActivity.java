package dev.fewtaps.samples.lab;

import android.view.ViewGroup;
import android.webkit.WebChromeClient;
import android.webkit.WebView;
import android.webkit.WebViewClient;
import android.widget.LinearLayout;

/** A web view, which the twin shows as an empty view. */
public final class WebActivity extends LabActivity {
  @Override
  protected void fill() {
    WebView web = new WebView(this);
    web.setId(R.id.content);
    web.getSettings().setJavaScriptEnabled(true);
    web.setWebViewClient(new WebViewClient());
    web.setWebChromeClient(new WebChromeClient());
    web.addJavascriptInterface(this, "lab");
    extra(web).setLayoutParams(new LinearLayout.LayoutParams(ViewGroup.LayoutParams.MATCH_PARENT, 400));
    button("Load data", () -> {
      web.loadData("<h1>Hello</h1>", "text/html", "UTF-8");
      say("data loaded");
    });
    button("Load page", () -> {
      web.loadUrl("https://example.org/");
      say("url " + web.getUrl());
    });
    button("Go back", () -> say("can go back: " + web.canGoBack()));
    button("Script", () -> web.evaluateJavascript("1 + 1", value -> say("script " + value)));
    say("web view made");
  }
}
