package dev.fewtaps.twin.world;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The servers of a phone that is online: they answer with the kind of content that was asked for.
 *
 * <p>In world 0 every answer is good. In other worlds one in four is a wrong status, slow, cut
 * short, malformed, empty, or missing; the same address has the same answer throughout a run. On a
 * phone with a failing network three in four are, in every world; with a slow one all are late.
 */
final class Internet {
  private static final Pattern SIZE = Pattern.compile("(\\d{2,4})[x/](\\d{2,4})");
  private static final Pattern WIDTH =
      Pattern.compile("[?&](?:w|width|s|size)=(\\d{1,4})\\b", Pattern.CASE_INSENSITIVE);
  private static final Pattern HEIGHT =
      Pattern.compile("[?&](?:h|height)=(\\d{1,4})\\b", Pattern.CASE_INSENSITIVE);
  private static final int USUAL_PIXELS = 256;

  /** No answer is larger than this in each direction. */
  private static final int MOST_PIXELS = 4096;

  private static final int SLOW_MILLIS = 8000;
  private static final int DECISIONS = 28;

  /** How many decisions there are in a failing network; one in four is a good answer. */
  private static final int FEW_DECISIONS = 8;

  private static final int SLOW = 6;
  private static final int GOOD = DECISIONS;

  private Internet() {}

  /** The answer of a world to a request; null is no answer in time. */
  static Network.Answer answer(World world, String method, String url, String accept) {
    switch (decision(world, method, url)) {
      case 0:
        return null;
      case 1:
        return text(404, "Not Found", "text/html", "<html><body>Not Found</body></html>");
      case 2:
        return text(500, "Internal Server Error", "text/plain", "");
      case 3:
        return text(401, "Unauthorized", "application/json", "{\"error\":\"unauthorized\"}");
      case 4:
        return good(world, method, url, accept).cut();
      case 5:
        Network.Answer whole = good(world, method, url, accept);
        int half = whole.body().length / 2;
        byte[] part = java.util.Arrays.copyOf(whole.body(), half);
        return new Network.Answer(200, "OK", whole.type(), part);
      case SLOW:
        return good(world, method, url, accept).late(SLOW_MILLIS);
      default:
        return good(world, method, url, accept);
    }
  }

  /** What becomes of a request: the number of a failure, or of a good answer. */
  private static int decision(World world, String method, String url) {
    String network = world.settings.network();
    if (network.equals("slow")) {
      return SLOW;
    }
    boolean isFailing = network.equals("failing");
    boolean isGood = network.equals("served") || (!isFailing && world.seed == 0);
    if (isGood) {
      return GOOD;
    }
    long bits = world.draw(Draw.NETWORK, url.hashCode() * 31L + method.hashCode());
    int drawn = Draw.below(bits, isFailing ? FEW_DECISIONS : DECISIONS);
    return isFailing && drawn >= SLOW ? GOOD : drawn;
  }

  private static Network.Answer good(World world, String method, String url, String accept) {
    return world.served().isEmpty()
        ? made(world, url, accept)
        : served(world, world.served(), method, url);
  }

  /** The answer of the user's file, or 404 with a note of what was asked for. */
  static Network.Answer served(World world, List<Served> table, String method, String url) {
    for (Served each : table) {
      if (each.method().equals(method) && each.address().matcher(url).matches()) {
        String reason = each.status() < 400 ? "OK" : "Error";
        return new Network.Answer(
            each.status(), reason, each.type(), each.body(), each.headers(), false, 0);
      }
    }
    world.note("asked for and not in the file: " + method + " " + withoutSecrets(url));
    return text(404, "Not Found", "text/plain", "");
  }

  /** The address without user, password and the values of its query. */
  static String withoutSecrets(String url) {
    String plain = url.replaceFirst("://[^/?#]*@", "://");
    int query = plain.indexOf('?');
    return query < 0 ? plain : plain.substring(0, query) + "?…";
  }

  private static Network.Answer made(World world, String url, String accept) {
    String kind = kind(url.toLowerCase(Locale.ROOT), accept == null ? "" : accept);
    switch (kind) {
      case "json":
        return text(
            200, "OK", "application/json; charset=utf-8", new JsonAnswer(world.reads()).text(url));
      case "rss":
        return text(200, "OK", "application/rss+xml; charset=utf-8", rss());
      case "html":
        return text(200, "OK", "text/html; charset=utf-8", html(url));
      case "text":
        return text(200, "OK", "text/plain; charset=utf-8", "A line of text\nand another one\n");
      case "png":
        int[] small = size(url);
        byte[] png = SmallFiles.png(Math.min(small[0], 512), Math.min(small[1], 512), 2);
        return new Network.Answer(200, "OK", "image/png", png);
      case "mp3":
        byte[] song = SmallFiles.mp3(1, "A song", "A band", "An album");
        return new Network.Answer(200, "OK", "audio/mpeg", song);
      case "pdf":
        return new Network.Answer(200, "OK", "application/pdf", SmallFiles.pdf("A page"));
      default:
        int[] size = size(url);
        byte[] jpeg = MosaicJpeg.make(size[0], size[1], 1, (url.hashCode() & 0xff) % 7 + 1);
        return new Network.Answer(200, "OK", "image/jpeg", jpeg);
    }
  }

  /** What is asked for: by what the request accepts if that is one kind, else by the address. */
  private static String kind(String url, String accept) {
    if (accept.contains("json")) {
      return "json";
    }
    if (accept.startsWith("image/") && !accept.contains("html")) {
      return url.contains(".png") ? "png" : "jpeg";
    }
    if (accept.contains("rss") || accept.contains("atom") || accept.startsWith("text/xml")) {
      return "rss";
    }
    String path = url.replaceFirst("[?#].*", "");
    String rest = path.replaceFirst("^[a-z]+://[^/]*/?", "");
    String ending = rest.substring(rest.lastIndexOf('.') + 1);
    switch (ending) {
      case "json":
        return "json";
      case "xml":
      case "rss":
      case "atom":
        return "rss";
      case "html":
      case "htm":
      case "php":
      case "aspx":
        return "html";
      case "txt":
      case "csv":
      case "css":
      case "js":
        return "text";
      case "png":
      case "mp3":
      case "pdf":
        return ending;
      case "jpg":
      case "jpeg":
      case "webp":
      case "gif":
        return "jpeg";
      default:
        break;
    }
    if (rest.matches(
        ".*\\b(image|images|img|photo|photos|avatar|thumb|thumbnail|picture)s?\\b.*")) {
      return "jpeg";
    }
    if (rest.matches(".*\\b(rss|feed|feeds|atom)\\b.*")) {
      return "rss";
    }
    return rest.isEmpty() || accept.contains("text/html") ? "html" : "json";
  }

  private static int[] size(String url) {
    Matcher both = SIZE.matcher(url.replaceFirst("^[a-z]+://[^/]*", ""));
    if (both.find()) {
      return new int[] {pixels(both.group(1)), pixels(both.group(2))};
    }
    Matcher width = WIDTH.matcher(url);
    Matcher height = HEIGHT.matcher(url);
    int across = width.find() ? pixels(width.group(1)) : USUAL_PIXELS;
    return new int[] {across, height.find() ? pixels(height.group(1)) : across};
  }

  private static int pixels(String digits) {
    return Math.max(1, Math.min(MOST_PIXELS, Integer.parseInt(digits)));
  }

  private static String rss() {
    StringBuilder text =
        new StringBuilder(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<rss version=\"2.0\"><channel>"
                + "<title>Example news</title><link>https://example.com/</link>"
                + "<description>News of an example</description>");
    for (int i = 1; i <= 3; i++) {
      text.append("<item><title>Item ")
          .append(i)
          .append("</title><link>https://example.com/items/");
      text.append(i).append("</link><guid>").append(i).append("</guid>");
      text.append("<description><![CDATA[<p>Text ").append(i).append("</p>]]></description>");
      text.append(i == 2 ? "" : "<pubDate>Mon, 05 Jan 2026 0" + i + ":00:00 GMT</pubDate>");
      text.append("</item>");
    }
    return text.append("</channel></rss>").toString();
  }

  private static String html(String url) {
    return "<!DOCTYPE html><html><head><title>Example page</title></head><body><h1>Example</h1>"
        + "<p>A page at "
        + withoutSecrets(url).replace("&", "&amp;").replace("<", "&lt;")
        + "</p><a href=\"https://example.com/items/1\">Item 1</a></body></html>";
  }

  private static Network.Answer text(int status, String reason, String type, String body) {
    return new Network.Answer(status, reason, type, body.getBytes(StandardCharsets.UTF_8));
  }
}
