package dev.fewtaps.twin.inside;

import android.content.Context;
import android.net.Uri;
import android.os.Build;
import android.util.Base64;
import android.webkit.WebResourceResponse;
import android.webkit.WebSettings;
import android.webkit.WebView;
import android.webkit.WebViewClient;
import dev.fewtaps.twin.world.NetHooks;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLConnection;
import java.net.UnknownHostException;
import java.nio.charset.Charset;
import java.nio.charset.IllegalCharsetNameException;
import java.nio.charset.StandardCharsets;
import java.nio.charset.UnsupportedCharsetException;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Fetches what a web view asks for: from the app, its assets, files, or servers of the network. */
final class WebLoader {
  private static final int MOST_BYTES = 1 << 20;
  private static final String ASSETS = "/android_asset/";
  private static final String RESOURCES = "/android_res/";
  private static final Pattern CHARSET = Pattern.compile("(?i)charset=\"?([A-Za-z0-9_.:-]+)");

  /** What came back: a body with its type, an address to go to instead, or a failure. */
  record Answer(
      int status,
      String reason,
      String type,
      byte[] body,
      String redirect,
      WebRequest.Failure failure) {
    static Answer of(String text, String type) {
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      return new Answer(200, "OK", type + ";charset=utf-8", bytes, null, null);
    }

    static Answer failed(int code, String words) {
      return new Answer(0, "", "", new byte[0], null, new WebRequest.Failure(code, words));
    }

    /** Whether a browser saves it instead of showing it. */
    boolean isDownload() {
      return !type.isEmpty() && !type.matches("(?is)(text/|image/|application/(xhtml|xml|json)).*");
    }

    /** What is to be seen of it. */
    HtmlPage html() {
      if (type.startsWith("image/")) {
        return HtmlPage.read("<img alt=\"\">");
      }
      Matcher named = CHARSET.matcher(type);
      String text = new String(body, charset(named.find() ? named.group(1) : "utf-8"));
      boolean isHtml = type.isEmpty() || type.contains("html");
      return HtmlPage.read(isHtml ? text : text.replace("&", "&amp;").replace("<", "&lt;"));
    }

    WebResourceResponse response() {
      return new WebResourceResponse(
          type.replaceFirst(";.*", ""),
          "utf-8",
          status,
          reason.isEmpty() ? "Error" : reason,
          Map.of("Content-Type", type),
          new ByteArrayInputStream(body));
    }

    private static Charset charset(String name) {
      try {
        return Charset.forName(name);
      } catch (IllegalCharsetNameException | UnsupportedCharsetException e) {
        return StandardCharsets.UTF_8;
      }
    }
  }

  private final Context context;
  private final WebSettings settings;
  private final WebRequest request;
  private final byte[] posted;

  WebLoader(Context context, WebSettings settings, WebRequest request, byte[] posted) {
    this.context = context;
    this.settings = settings;
    this.request = request;
    this.posted = posted;
  }

  /** Fetches the page; the app's client may have it itself. Called on a thread of the browser. */
  Answer load(WebViewClient client, WebView web) {
    try {
      WebResourceResponse own =
          client == null || posted != null
              ? null
              : Build.VERSION.SDK_INT < Build.VERSION_CODES.LOLLIPOP
                  ? client.shouldInterceptRequest(web, request.getUrl().toString())
                  : client.shouldInterceptRequest(web, request);
      if (own != null) {
        return given(own);
      }
      return fetch(request.getUrl());
    } catch (FileNotFoundException e) {
      return Answer.failed(WebViewClient.ERROR_UNKNOWN, "net::ERR_FILE_NOT_FOUND");
    } catch (UnknownHostException e) {
      return Answer.failed(WebViewClient.ERROR_HOST_LOOKUP, "net::ERR_INTERNET_DISCONNECTED");
    } catch (SocketTimeoutException e) {
      return Answer.failed(WebViewClient.ERROR_TIMEOUT, "net::ERR_CONNECTION_TIMED_OUT");
    } catch (IOException e) {
      return Answer.failed(WebViewClient.ERROR_CONNECT, "net::ERR_CONNECTION_RESET");
    } catch (SecurityException e) {
      return Answer.failed(WebViewClient.ERROR_UNKNOWN, "net::ERR_ACCESS_DENIED");
    }
  }

  private static Answer given(WebResourceResponse own) throws IOException {
    int status = own.getStatusCode() == 0 ? 200 : own.getStatusCode();
    String type = own.getMimeType() == null ? "" : own.getMimeType();
    String encoding = own.getEncoding() == null ? "" : ";charset=" + own.getEncoding();
    byte[] body = own.getData() == null ? new byte[0] : read(own.getData());
    return new Answer(status, "", type + encoding, body, null, null);
  }

  private Answer fetch(Uri url) throws IOException {
    switch (String.valueOf(url.getScheme()).toLowerCase(Locale.ROOT)) {
      case "about":
        return Answer.of("", "text/html");
      case "data":
        return data(url.toString());
      case "file":
        return file(String.valueOf(url.getPath()));
      case "content":
        try (InputStream in = context.getContentResolver().openInputStream(url)) {
          String type = context.getContentResolver().getType(url);
          return new Answer(200, "OK", type == null ? "text/html" : type, read(in), null, null);
        }
      case "http":
      case "https":
        return ask(url.toString());
      default:
        return Answer.failed(WebViewClient.ERROR_UNSUPPORTED_SCHEME, "net::ERR_UNKNOWN_URL_SCHEME");
    }
  }

  /** The page in an address of the form {@code data:type;base64,content}. */
  private static Answer data(String url) {
    int comma = url.indexOf(',');
    if (comma < 0) {
      return Answer.failed(WebViewClient.ERROR_BAD_URL, "net::ERR_INVALID_URL");
    }
    String head = url.substring(5, comma);
    String content = url.substring(comma + 1);
    boolean isEncoded = head.endsWith(";base64");
    String type = isEncoded ? head.substring(0, head.length() - 7) : head;
    String named = type.isEmpty() ? "text/plain" : type;
    if (isEncoded) {
      try {
        byte[] body = Base64.decode(content, Base64.DEFAULT);
        return new Answer(200, "OK", named, body, null, null);
      } catch (IllegalArgumentException e) {
        return Answer.failed(WebViewClient.ERROR_BAD_URL, "net::ERR_INVALID_URL");
      }
    }
    return Answer.of(Uri.decode(content.replaceFirst("(?s)#.*", "")), named);
  }

  private Answer file(String path) throws IOException {
    String type = URLConnection.guessContentTypeFromName(path);
    String named = type == null ? "text/html" : type;
    if (path.startsWith(ASSETS)) {
      try (InputStream in = context.getAssets().open(path.substring(ASSETS.length()))) {
        return new Answer(200, "OK", named, read(in), null, null);
      }
    }
    if (path.startsWith(RESOURCES)) {
      String[] parts = path.substring(RESOURCES.length()).replaceFirst("\\..*", "").split("/");
      int id =
          parts.length < 2
              ? 0
              : context.getResources().getIdentifier(parts[1], parts[0], context.getPackageName());
      if (id == 0) {
        throw new FileNotFoundException(path);
      }
      try (InputStream in = context.getResources().openRawResource(id)) {
        return new Answer(200, "OK", named, read(in), null, null);
      }
    }
    if (!settings.getAllowFileAccess()) {
      throw new SecurityException(path);
    }
    URL url = new URL("file", "", path);
    try (InputStream in = NetHooks.openConnection(url).getInputStream()) {
      return new Answer(200, "OK", named, read(in), null, null);
    }
  }

  private Answer ask(String url) throws IOException {
    HttpURLConnection connection = (HttpURLConnection) NetHooks.openConnection(new URL(url));
    connection.setRequestProperty("Accept", "text/html,application/xhtml+xml,*/*;q=0.8");
    request.getRequestHeaders().forEach(connection::setRequestProperty);
    if (posted != null) {
      connection.setDoOutput(true);
      connection.getOutputStream().write(posted);
    }
    int status = connection.getResponseCode();
    String to = connection.getHeaderField("Location");
    if (status >= 300 && status < 400 && to != null) {
      return new Answer(status, "", "", new byte[0], to, null);
    }
    InputStream body = status >= 400 ? connection.getErrorStream() : connection.getInputStream();
    String type = String.valueOf(connection.getHeaderField("Content-Type"));
    byte[] bytes = body == null ? new byte[0] : read(body);
    return new Answer(
        status, String.valueOf(connection.getResponseMessage()), type, bytes, null, null);
  }

  private static byte[] read(InputStream in) throws IOException {
    if (in == null) {
      throw new FileNotFoundException();
    }
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    byte[] some = new byte[8192];
    for (int count = in.read(some); count > 0; count = in.read(some)) {
      all.write(some, 0, count);
      if (all.size() > MOST_BYTES) {
        return Arrays.copyOf(all.toByteArray(), MOST_BYTES);
      }
    }
    return all.toByteArray();
  }

  /** The address that a link in a page with this address means. */
  static String resolved(String base, String address) {
    String link = address.trim().replace(" ", "%20");
    try {
      URI whole = new URI(link);
      if (whole.isAbsolute() || base == null) {
        return link;
      }
      URI from = new URI(base);
      if (from.isOpaque()) {
        return link;
      }
      return from.resolve(whole).toString().replaceFirst("^file:/(?!/)", "file:///");
    } catch (URISyntaxException e) {
      return link;
    }
  }
}
