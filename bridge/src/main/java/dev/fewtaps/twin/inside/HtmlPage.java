package dev.fewtaps.twin.inside;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * What a page of HTML shows, from top to bottom: texts, links, pictures and the parts of forms.
 *
 * <p>Styles and scripts are left out, and so is what lies beyond {@link #MOST_PARTS}.
 */
final class HtmlPage {
  /** What can be seen of an element. */
  enum Kind {
    TEXT,
    HEADING,
    LINK,
    PICTURE,
    FIELD,
    CHECKBOX,
    RADIO,
    CHOICE,
    SUBMIT,
    BUTTON
  }

  /** A form: where its values go. */
  record Form(String action, boolean isPost, List<String[]> hidden) {}

  /**
   * A visible element.
   *
   * @param text what is written on it
   * @param target the address of a link
   * @param form the form that it belongs to, or null
   * @param options the values and texts of a choice, each as a pair
   */
  record Part(
      Kind kind,
      String text,
      String target,
      Form form,
      Map<String, String> attributes,
      List<String[]> options) {
    String attribute(String name) {
      return attributes.getOrDefault(name, "");
    }

    boolean has(String name) {
      return attributes.containsKey(name);
    }
  }

  private static final int MOST_PARTS = 400;
  private static final int LONGEST_TEXT = 10_000;
  private static final int LONGEST_ENTITY = 10;

  /** Elements whose content is no HTML. */
  private static final Set<String> RAW = Set.of("script", "style", "textarea", "title", "xmp");

  /** Elements that show nothing, nor what is in them. */
  private static final Set<String> UNSEEN =
      Set.of("script", "style", "template", "noscript", "svg", "math", "object", "iframe", "video");

  private static final Set<String> VOID =
      Set.of(
          "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source",
          "track", "wbr");

  /** Elements within a line of text; all others begin and end one. */
  private static final Set<String> INLINE =
      Set.of(
          "abbr", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font", "i",
          "ins", "kbd", "label", "mark", "q", "s", "samp", "small", "span", "strike", "strong",
          "sub", "sup", "time", "tt", "u", "var", "wbr");

  private static final Map<String, String> ENTITIES =
      Map.ofEntries(
          Map.entry("amp", "&"),
          Map.entry("lt", "<"),
          Map.entry("gt", ">"),
          Map.entry("quot", "\""),
          Map.entry("apos", "'"),
          Map.entry("nbsp", " "),
          Map.entry("copy", "©"),
          Map.entry("reg", "®"),
          Map.entry("trade", "™"),
          Map.entry("hellip", "…"),
          Map.entry("mdash", "—"),
          Map.entry("ndash", "–"),
          Map.entry("bull", "•"),
          Map.entry("euro", "€"),
          Map.entry("laquo", "«"),
          Map.entry("raquo", "»"),
          Map.entry("lsquo", "‘"),
          Map.entry("rsquo", "’"),
          Map.entry("ldquo", "“"),
          Map.entry("rdquo", "”"));

  private final String html;
  private final List<Part> parts = new ArrayList<>();
  private final StringBuilder line = new StringBuilder();
  private String unseen;
  private int unseenDepth;
  private final List<String[]> options = new ArrayList<>();
  private String title = "";
  private String base;
  private boolean hasScripts;
  private boolean isHeading;
  private String target;
  private Form form;
  private Map<String, String> button;
  private Map<String, String> choice;
  private Map<String, String> option;

  private HtmlPage(String html) {
    this.html = html;
  }

  /** Reads any text as HTML; there is none that cannot be read. */
  static HtmlPage read(String html) {
    HtmlPage page = new HtmlPage(html);
    page.read();
    return page;
  }

  String title() {
    return title;
  }

  /** The address that others in the page are relative to, or null if it is that of the page. */
  String base() {
    return base;
  }

  /** Whether the page has scripts, which do not run. */
  boolean hasScripts() {
    return hasScripts;
  }

  List<Part> parts() {
    return parts;
  }

  private void read() {
    int at = 0;
    while (at < html.length() && parts.size() < MOST_PARTS) {
      int open = html.indexOf('<', at);
      if (open < 0) {
        break;
      }
      text(html.substring(at, open));
      at = markup(open);
    }
    if (parts.size() < MOST_PARTS) {
      text(html.substring(Math.min(at, html.length())));
      flush();
    }
  }

  /** Reads what begins with a less-than sign, and returns the place after it. */
  private int markup(int open) {
    if (html.startsWith("<!--", open)) {
      int end = html.indexOf("-->", open + 4);
      return end < 0 ? html.length() : end + 3;
    }
    char next = open + 1 < html.length() ? html.charAt(open + 1) : ' ';
    if (next == '!' || next == '?') {
      int end = html.indexOf('>', open);
      return end < 0 ? html.length() : end + 1;
    }
    if (next != '/' && !Character.isLetter(next)) {
      text("<");
      return open + 1;
    }
    boolean closes = next == '/';
    int from = open + (closes ? 2 : 1);
    int to = from;
    while (to < html.length() && (Character.isLetterOrDigit(html.charAt(to)))) {
      to++;
    }
    String name = html.substring(from, to).toLowerCase(Locale.ROOT);
    Map<String, String> attributes = new HashMap<>();
    int after = attributes(to, attributes);
    if (closes) {
      end(name);
      return after;
    }
    begin(name, attributes);
    return RAW.contains(name) ? raw(name, attributes, after) : after;
  }

  /** Skips over the content of an element that has no elements in it. */
  private int raw(String name, Map<String, String> attributes, int from) {
    int end = from;
    String closing = "</" + name;
    while (end < html.length() && !html.regionMatches(true, end, closing, 0, closing.length())) {
      int next = html.indexOf('<', end + 1);
      end = next < 0 ? html.length() : next;
    }
    String content = html.substring(from, end);
    if (name.equals("title") && title.isEmpty()) {
      title = plain(content).trim();
    } else if (name.equals("textarea") && unseen == null) {
      attributes.put("value", plain(content));
      add(Kind.FIELD, "", attributes);
    }
    return end;
  }

  private int attributes(int from, Map<String, String> into) {
    int at = from;
    while (at < html.length() && html.charAt(at) != '>') {
      char c = html.charAt(at);
      if (Character.isWhitespace(c) || c == '/') {
        at++;
        continue;
      }
      int end = at;
      while (end < html.length() && " \t\r\n\f=>/".indexOf(html.charAt(end)) < 0) {
        end++;
      }
      String name = html.substring(at, end).toLowerCase(Locale.ROOT);
      at = skipSpace(end);
      String value = "";
      if (at < html.length() && html.charAt(at) == '=') {
        at = skipSpace(at + 1);
        char quote = at < html.length() ? html.charAt(at) : '>';
        if (quote == '"' || quote == '\'') {
          end = html.indexOf(quote, at + 1);
          end = end < 0 ? html.length() : end;
          value = html.substring(Math.min(at + 1, end), end);
          at = Math.min(end + 1, html.length());
        } else {
          end = at;
          while (end < html.length() && " \t\r\n\f>".indexOf(html.charAt(end)) < 0) {
            end++;
          }
          value = html.substring(at, end);
          at = end;
        }
      }
      if (!name.isEmpty()) {
        into.putIfAbsent(name, plain(value));
      }
    }
    return Math.min(at + 1, html.length());
  }

  private int skipSpace(int from) {
    int at = from;
    while (at < html.length() && Character.isWhitespace(html.charAt(at))) {
      at++;
    }
    return at;
  }

  private void begin(String name, Map<String, String> attributes) {
    hasScripts |= name.equals("script");
    boolean isHidden =
        UNSEEN.contains(name)
            || attributes.containsKey("hidden")
            || attributes.getOrDefault("style", "").replace(" ", "").contains("display:none");
    if (unseen != null) {
      unseenDepth += name.equals(unseen) ? 1 : 0;
      return;
    }
    if (isHidden) {
      unseen = VOID.contains(name) ? null : name;
      unseenDepth = 1;
      return;
    }
    if (!INLINE.contains(name)) {
      flush();
    }
    switch (name) {
      case "base" -> base = attributes.getOrDefault("href", base);
      case "a" -> target = attributes.get("href");
      case "h1", "h2", "h3", "h4", "h5", "h6" -> isHeading = true;
      case "li" -> line.append("• ");
      case "img" -> add(Kind.PICTURE, attributes.getOrDefault("alt", ""), attributes);
      case "form" ->
          form =
              new Form(
                  attributes.getOrDefault("action", ""),
                  attributes.getOrDefault("method", "").equalsIgnoreCase("post"),
                  new ArrayList<>());
      case "input" -> input(attributes);
      case "button" -> button = attributes;
      case "select" -> {
        choice = attributes;
        options.clear();
      }
      case "option" -> option = attributes;
      default -> {}
    }
  }

  private void input(Map<String, String> attributes) {
    String value = attributes.getOrDefault("value", "");
    switch (attributes.getOrDefault("type", "text").toLowerCase(Locale.ROOT)) {
      case "hidden" -> {
        if (form != null) {
          form.hidden().add(new String[] {attributes.getOrDefault("name", ""), value});
        }
      }
      case "submit", "image" -> add(Kind.SUBMIT, value.isEmpty() ? "Submit" : value, attributes);
      case "button", "reset", "file" -> add(Kind.BUTTON, value, attributes);
      case "checkbox" -> add(Kind.CHECKBOX, "", attributes);
      case "radio" -> add(Kind.RADIO, "", attributes);
      default -> add(Kind.FIELD, "", attributes);
    }
  }

  private void end(String name) {
    if (unseen != null) {
      unseenDepth -= name.equals(unseen) ? 1 : 0;
      unseen = unseenDepth == 0 ? null : unseen;
      return;
    }
    if (name.equals("option")) {
      endOption();
    } else if (!INLINE.contains(name)) {
      flush();
    }
    switch (name) {
      case "a" -> target = null;
      case "h1", "h2", "h3", "h4", "h5", "h6" -> isHeading = false;
      case "form" -> form = null;
      case "button" -> button = null;
      case "select" -> {
        if (choice != null) {
          add(Kind.CHOICE, "", choice);
          choice = null;
        }
      }
      default -> {}
    }
  }

  private void endOption() {
    if (option != null) {
      String text = line.toString().trim();
      options.add(new String[] {option.getOrDefault("value", text), text});
      line.setLength(0);
      option = null;
    }
  }

  private void text(String raw) {
    if (unseen != null || raw.isEmpty() || line.length() > LONGEST_TEXT) {
      return;
    }
    String text = plain(raw).replaceAll("[ \\t\\r\\n\\f]+", " ");
    boolean isFollowing = line.length() == 0 || line.charAt(line.length() - 1) == ' ';
    line.append(isFollowing && text.startsWith(" ") ? text.substring(1) : text);
  }

  /** Ends a line of text: what it belongs to says what it is. */
  private void flush() {
    if (option != null) {
      endOption();
    }
    String text = line.toString().trim();
    line.setLength(0);
    if (text.isEmpty() || choice != null) {
      return;
    }
    if (button != null) {
      String type = button.getOrDefault("type", "submit");
      add(type.equalsIgnoreCase("submit") ? Kind.SUBMIT : Kind.BUTTON, text, button);
    } else if (target != null) {
      add(Kind.LINK, text, Map.of());
    } else {
      add(isHeading ? Kind.HEADING : Kind.TEXT, text, Map.of());
    }
  }

  private void add(Kind kind, String text, Map<String, String> attributes) {
    if (parts.size() < MOST_PARTS) {
      List<String[]> choices = kind == Kind.CHOICE ? List.copyOf(options) : List.of();
      parts.add(new Part(kind, text, target, form, attributes, choices));
    }
  }

  /** The text with its entities replaced. */
  static String plain(String text) {
    int at = text.indexOf('&');
    if (at < 0) {
      return text;
    }
    StringBuilder plain = new StringBuilder(text.length());
    int from = 0;
    while (at >= 0) {
      int end = at + 1;
      while (end < text.length() && end - at < LONGEST_ENTITY && text.charAt(end) != ';') {
        end++;
      }
      boolean isNamed = end < text.length() && text.charAt(end) == ';';
      String known = isNamed ? entity(text.substring(at + 1, end)) : null;
      plain.append(text, from, at).append(known == null ? "&" : known);
      from = known == null ? at + 1 : end + 1;
      at = text.indexOf('&', from);
    }
    return plain.append(text, from, text.length()).toString();
  }

  private static String entity(String name) {
    if (name.matches("#\\d{1,7}") || name.matches("#[xX][0-9a-fA-F]{1,6}")) {
      boolean isHexadecimal = Character.toLowerCase(name.charAt(1)) == 'x';
      int code = Integer.parseInt(name.substring(isHexadecimal ? 2 : 1), isHexadecimal ? 16 : 10);
      return Character.isValidCodePoint(code) ? new String(Character.toChars(code)) : null;
    }
    return ENTITIES.get(name);
  }
}
