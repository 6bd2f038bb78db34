package dev.fewtaps.twin.inside;

import android.content.ActivityNotFoundException;
import android.content.Intent;
import android.graphics.Picture;
import android.net.Uri;
import android.os.Build;
import android.os.Bundle;
import android.os.Handler;
import android.os.Looper;
import android.os.Message;
import android.view.View;
import android.view.ViewGroup;
import android.webkit.DownloadListener;
import android.webkit.ValueCallback;
import android.webkit.WebChromeClient;
import android.webkit.WebView;
import android.webkit.WebViewClient;
import android.widget.AbsoluteLayout;
import dev.fewtaps.twin.world.WorldThread;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.robolectric.fakes.RoboWebMessagePort;
import org.robolectric.fakes.RoboWebSettings;

/**
 * The browser in a web view: it loads pages, tells the app's clients, and shows texts, links and
 * forms. Scripts and styles are left out.
 */
final class WebBrowser {
  private static final String BLANK = "about:blank";
  private static final String STATE = "dev.fewtaps.pages";

  private final WebView web;
  private final RoboWebSettings settings = new RoboWebSettings();
  private final Handler main = new Handler(Looper.getMainLooper());
  private WebHistory history = new WebHistory();
  private WebViewClient client;
  private WebChromeClient chrome;
  private DownloadListener downloads;
  private View shown;
  private Integer background;
  private boolean isDestroyed;
  private int progress = 100;
  private WebHistory.Page pending;

  /** Counts the pages asked for, so that one that comes too late is not shown. */
  private int load;

  WebBrowser(WebView web) {
    this.web = web;
    settings.setJavaScriptEnabled(false);
  }

  /** Does what the web view is asked for; returns {@link #UNKNOWN} for what it cannot. */
  @SuppressWarnings("unchecked")
  Object call(String name, Object[] given) {
    switch (name) {
      case "getSettings":
        return settings;
      case "loadUrl":
        loadUrl((String) given[0], given.length > 1 ? (Map<String, String>) given[1] : null);
        return null;
      case "postUrl":
        open(page((String) given[0]), "POST", (byte[]) given[1], null, false, 0);
        return null;
      case "loadData":
        loadData((String) given[0], (String) given[1], (String) given[2]);
        return null;
      case "loadDataWithBaseURL":
        String base = given[0] == null ? BLANK : (String) given[0];
        String url = given[4] == null ? BLANK : (String) given[4];
        String type = given[2] == null ? "text/html" : (String) given[2];
        String data = given[1] == null ? "" : (String) given[1];
        open(new WebHistory.Page(url, data, type, base), "GET", null, null, false, 0);
        return null;
      case "evaluateJavaScript":
        tellOfScripts();
        answer((ValueCallback<String>) given[1], "null");
        return null;
      case "addJavascriptInterface":
        tellOfScripts();
        return null;
      case "stopLoading":
        load++;
        pending = null;
        progress = 100;
        return null;
      case "reload":
        travel(0);
        return null;
      case "canGoBack":
        return history.canGo(-1);
      case "goBack":
        travel(-1);
        return null;
      case "canGoForward":
        return history.canGo(1);
      case "goForward":
        travel(1);
        return null;
      case "canGoBackOrForward":
        return history.canGo((Integer) given[0]);
      case "goBackOrForward":
        travel((Integer) given[0]);
        return null;
      case "clearHistory":
        history.clear();
        return null;
      case "copyBackForwardList":
        return history.copy();
      case "saveState":
        return save((Bundle) given[0]);
      case "restoreState":
        return restore((Bundle) given[0]);
      case "getUrl":
      case "getOriginalUrl":
        WebHistory.Page page = pending == null ? history.getCurrentItem() : pending;
        return page == null ? null : page.url;
      case "getTitle":
        return history.getCurrentItem() == null ? null : history.getCurrentItem().getTitle();
      case "getProgress":
        return progress;
      case "getScale":
        return web.getResources().getDisplayMetrics().density;
      case "getContentHeight":
        return contentHeight();
      case "getHitTestResult":
        return new WebView.HitTestResult();
      case "capturePicture":
        return new Picture();
      case "pageUp":
      case "pageDown":
        return scroll(name.equals("pageUp"), (Boolean) given[0]);
      case "setWebViewClient":
        client = (WebViewClient) given[0];
        return null;
      case "getWebViewClient":
        return client;
      case "setWebChromeClient":
        chrome = (WebChromeClient) given[0];
        return null;
      case "getWebChromeClient":
        return chrome;
      case "setDownloadListener":
        downloads = (DownloadListener) given[0];
        return null;
      case "setBackgroundColor":
        background = (Integer) given[0];
        paint();
        return null;
      case "createWebMessageChannel":
        return RoboWebMessagePort.createPair();
      case "insertVisualStateCallback":
        long request = (Long) given[0];
        WebView.VisualStateCallback callback = (WebView.VisualStateCallback) given[1];
        main.post(() -> callback.onComplete(request));
        return null;
      case "saveWebArchive":
        if (given.length > 2) {
          answer((ValueCallback<String>) given[2], null);
        }
        return null;
      case "documentHasImages":
      case "requestFocusNodeHref":
      case "requestImageRef":
        if (given[0] != null) {
          ((Message) given[0]).sendToTarget();
        }
        return null;
      case "destroy":
        isDestroyed = true;
        load++;
        show(null);
        return null;
      default:
        return UNKNOWN;
    }
  }

  /** The answer of {@link #call} to what no page has to do with. */
  static final Object UNKNOWN = new Object();

  private <T> void answer(ValueCallback<T> callback, T value) {
    if (callback != null) {
      main.post(() -> callback.onReceiveValue(value));
    }
  }

  private static void tellOfScripts() {
    Device.current().notes().say("scripts of web pages do not run");
  }

  // ---- what to load

  private static WebHistory.Page page(String url) {
    return new WebHistory.Page(url, null, null, url);
  }

  private void loadUrl(String url, Map<String, String> headers) {
    if (url == null || url.isEmpty()) {
      return;
    }
    if (url.startsWith("javascript:")) {
      tellOfScripts();
      return;
    }
    String whole = url.matches("(?s)[A-Za-z][A-Za-z0-9+.-]*:.*") ? url : "http://" + url;
    boolean isHost = whole.matches("https?://[^/?#]+");
    open(page(isHost ? whole + "/" : whole), "GET", null, headers, false, 0);
  }

  /** The app's data are the rest of an address: percent signs have a meaning in it. */
  private void loadData(String data, String type, String encoding) {
    String url =
        "data:"
            + (type == null ? "text/html" : type)
            + ("base64".equals(encoding) ? ";base64," : ",")
            + (data == null ? "" : data);
    open(page(url), "GET", null, null, false, 0);
  }

  private void travel(int steps) {
    if (!history.canGo(steps) || history.getCurrentItem() == null) {
      return;
    }
    history.go(steps);
    open(history.getCurrentItem(), "GET", null, null, true, 0);
  }

  /** Follows a link of the page, or sends a form: the app's client is asked first. */
  private void follow(String address, String body) {
    WebHistory.Page now = history.getCurrentItem();
    String url = WebLoader.resolved(now == null ? BLANK : now.base, address);
    if (url.startsWith("javascript:")) {
      tellOfScripts();
      return;
    }
    if (now != null && url.startsWith(now.url + "#")) {
      return; // A place in the same page.
    }
    WebRequest request = new WebRequest(url, true, body == null ? "GET" : "POST", Map.of());
    if (body == null && isTaken(request, url)) {
      return;
    }
    byte[] bytes = body == null ? null : body.getBytes(StandardCharsets.UTF_8);
    open(page(url), request.getMethod(), bytes, null, false, 0);
  }

  /** Whether the app, or without a client another app, opens the address. */
  private boolean isTaken(WebRequest request, String url) {
    if (client != null) {
      return Build.VERSION.SDK_INT < Build.VERSION_CODES.N
          ? client.shouldOverrideUrlLoading(web, url)
          : client.shouldOverrideUrlLoading(web, request);
    }
    Intent intent = new Intent(Intent.ACTION_VIEW, Uri.parse(url));
    intent.addCategory(Intent.CATEGORY_BROWSABLE);
    try {
      web.getContext().startActivity(intent);
      return true;
    } catch (ActivityNotFoundException e) {
      return false; // The framework logs it and goes on.
    }
  }

  // ---- loading

  private void open(
      WebHistory.Page page,
      String method,
      byte[] body,
      Map<String, String> headers,
      boolean isKnown,
      int redirects) {
    if (isDestroyed) {
      return;
    }
    int mine = ++load;
    pending = page;
    String url = page.content == null ? page.url : page.base;
    Map<String, String> sent = new HashMap<>(headers == null ? Map.of() : headers);
    WebRequest request = new WebRequest(url, false, method, sent);
    WebViewClient asked = client;
    main.post(
        () -> {
          if (mine != load) {
            return;
          }
          progress(10);
          tellStarted(url);
          WebLoader loader = new WebLoader(web.getContext(), settings, request, body);
          new WorldThread(
                  () -> {
                    WebLoader.Answer answer =
                        page.content != null
                            ? WebLoader.Answer.of(page.content, page.type)
                            : loader.load(asked, web);
                    main.post(() -> arrived(mine, page, request, answer, isKnown, redirects));
                  },
                  "ThreadPoolForeg")
              .start();
        });
  }

  private void arrived(
      int mine,
      WebHistory.Page page,
      WebRequest request,
      WebLoader.Answer answer,
      boolean isKnown,
      int redirects) {
    if (mine != load || isDestroyed) {
      return;
    }
    if (answer.redirect() != null && redirects < 20) {
      String next = WebLoader.resolved(page.url, answer.redirect());
      if (client == null || !isTaken(new WebRequest(next, false, "GET", Map.of()), next)) {
        open(page(next), "GET", null, null, isKnown, redirects + 1);
      }
      return;
    }
    pending = null;
    String url = page.content == null ? page.url : page.base;
    if (answer.failure() != null) {
      progress(100);
      fail(page, request, answer.failure(), isKnown);
    } else if (answer.isDownload()) {
      progress(100);
      if (downloads != null) {
        downloads.onDownloadStart(
            url, settings.getUserAgentString(), "", answer.type(), answer.body().length);
      }
    } else {
      commit(page, request, answer, isKnown);
    }
  }

  private void commit(
      WebHistory.Page page, WebRequest request, WebLoader.Answer answer, boolean isKnown) {
    HtmlPage html = answer.html();
    page.title = html.title().isEmpty() ? null : html.title();
    if (!isKnown) {
      history.add(page);
    }
    String url = page.content == null ? page.url : page.base;
    if (client != null) {
      client.doUpdateVisitedHistory(web, page.url, isKnown);
      client.onLoadResource(web, url);
    }
    if (html.hasScripts() && settings.getJavaScriptEnabled()) {
      tellOfScripts();
    }
    show(WebPage.show(web.getContext(), html, (to, body) -> follow(based(html, to), body)));
    if (client != null) {
      client.onPageCommitVisible(web, url);
    }
    progress(70);
    if (chrome != null) {
      chrome.onReceivedTitle(web, page.getTitle());
    }
    if (client != null && answer.status() >= 400) {
      client.onReceivedHttpError(web, request, answer.response());
    }
    progress(100);
    if (client != null && !isDestroyed) {
      client.onPageFinished(web, url);
    }
  }

  private static String based(HtmlPage page, String address) {
    return page.base() == null ? address : WebLoader.resolved(page.base(), address);
  }

  /** Shows a browser's own page about what went wrong. */
  private void fail(
      WebHistory.Page page, WebRequest request, WebRequest.Failure failure, boolean isKnown) {
    page.title = "Webpage not available";
    if (!isKnown) {
      history.add(page);
    }
    HtmlPage told =
        HtmlPage.read(
            "<h2>Webpage not available</h2><p>The webpage at the address could not be loaded"
                + " because:</p><p>"
                + failure.words
                + "</p>");
    show(WebPage.show(web.getContext(), told, this::follow));
    if (client != null) {
      client.onReceivedError(web, request, failure);
    }
    if (chrome != null) {
      chrome.onReceivedTitle(web, page.title);
    }
    if (client != null && !isDestroyed) {
      client.onPageFinished(web, page.url);
    }
  }

  private void tellStarted(String url) {
    if (client != null) {
      client.onPageStarted(web, url, null);
    }
  }

  private void progress(int percent) {
    progress = percent;
    if (chrome != null) {
      chrome.onProgressChanged(web, percent);
    }
  }

  // ---- what is shown

  private void show(View page) {
    if (shown != null) {
      web.removeView(shown);
    }
    shown = page;
    if (page != null) {
      int all = ViewGroup.LayoutParams.MATCH_PARENT;
      web.addView(page, 0, new AbsoluteLayout.LayoutParams(all, all, 0, 0));
      paint();
    }
  }

  private void paint() {
    if (shown != null) {
      shown.setBackgroundColor(background == null ? 0xffffffff : background);
    }
  }

  private int contentHeight() {
    if (!(shown instanceof ViewGroup)) {
      return 0;
    }
    float density = web.getResources().getDisplayMetrics().density;
    return Math.round(((ViewGroup) shown).getChildAt(0).getHeight() / density);
  }

  private boolean scroll(boolean up, boolean toEnd) {
    int direction = up ? -1 : 1;
    if (shown == null || !shown.canScrollVertically(direction)) {
      return false;
    }
    int page = toEnd ? contentHeight() * 4 : shown.getHeight();
    shown.scrollBy(0, direction * page);
    return true;
  }

  // ---- state

  private Object save(Bundle into) {
    WebHistory.Page page = history.getCurrentItem();
    if (page == null) {
      return null;
    }
    into.putStringArray(STATE, new String[] {page.url, page.content, page.type, page.base});
    return history.copy();
  }

  private Object restore(Bundle from) {
    String[] saved = from == null ? null : from.getStringArray(STATE);
    if (saved == null) {
      return null;
    }
    history = new WebHistory();
    WebHistory.Page page = new WebHistory.Page(saved[0], saved[1], saved[2], saved[3]);
    history.add(page);
    open(page, "GET", null, null, true, 0);
    return history.copy();
  }
}
