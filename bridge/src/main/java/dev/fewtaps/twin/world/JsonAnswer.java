package dev.fewtaps.twin.world;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * JSON as many servers answer it: common fields, and those that the app's own code reads.
 *
 * <p>What the code goes on without is in the last item of each list only.
 */
final class JsonAnswer {
  private static final int ITEMS = 3;

  /** How deep lists and objects lie in each other, by how many of the fields are such. */
  private static final int[] DEEPEST = {0, 4, 3, 3};

  private static final int DEEP_ENOUGH = 2;

  private final ReadField.All read;
  private final int deepest;

  JsonAnswer(ReadField.All read) {
    this.read = read;
    long nested =
        read.fields().stream()
            .filter(
                each -> each.kind() == ReadField.Kind.LIST || each.kind() == ReadField.Kind.OBJECT)
            .count();
    deepest = nested < DEEPEST.length ? DEEPEST[(int) nested] : DEEP_ENOUGH;
  }

  /** An object or a list, as the address and the code want it. */
  String text(String url) {
    String path = url.replaceFirst("[?#].*", "").replaceFirst("\\.json$", "");
    boolean isPlural = !url.contains(".json") && path.matches(".*/[a-z_-]{2,}s/?");
    if (read.isList() || (isPlural && !read.isObject())) {
      return list(0);
    }
    if (path.matches(".*/\\d+/?")) {
      return written(item(1, 0));
    }
    Map<String, String> whole = new LinkedHashMap<>();
    whole.put("status", "\"ok\"");
    whole.put("success", "true");
    whole.put("id", "1");
    whole.put("name", "\"Example\"");
    whole.put("title", "\"An example\"");
    whole.put("message", "\"Hello\"");
    whole.put("token", "\"token-1\"");
    whole.put("page", "1");
    whole.put("total", "3");
    whole.put("count", "3");
    whole.put("next", "null");
    for (String name : List.of("items", "data", "results")) {
      whole.put(name, list(1));
    }
    return written(withRead(whole, 1, 1));
  }

  private String list(int depth) {
    StringBuilder text = new StringBuilder("[");
    for (int i = 1; i <= ITEMS; i++) {
      text.append(i == 1 ? "" : ",").append(written(item(i, depth)));
    }
    return text.append("]").toString();
  }

  private Map<String, String> item(int number, int depth) {
    Map<String, String> item = new LinkedHashMap<>();
    item.put("id", String.valueOf(number));
    item.put("name", "\"Example " + number + "\"");
    item.put("title", "\"Item " + number + "\"");
    item.put("description", "\"The text of item " + number + " — with “quotes”\"");
    item.put("url", "\"https://example.com/items/" + number + "\"");
    item.put("image", "\"https://example.com/images/" + number + "/200x100.jpg\"");
    item.put("date", "\"2026-01-0" + number + "T12:00:00Z\"");
    item.put("price", number + ".5");
    item.put("count", String.valueOf(number));
    item.put("active", String.valueOf(number != 2));
    if (number == ITEMS) {
      item.put("author", "{\"id\":1,\"name\":\"Sam\"}");
    }
    item.put("tags", "[]");
    return withRead(item, number, depth + 1);
  }

  /** Adds the fields that the code reads; one that is there already stays if it is of the kind. */
  private Map<String, String> withRead(Map<String, String> fields, int number, int depth) {
    for (ReadField each : read.fields()) {
      String there = fields.get(each.name());
      if (there == null && each.isOptional() && number != ITEMS) {
        continue;
      }
      if (there == null || !fits(there, each.kind())) {
        fields.put(each.name(), value(each, number, depth));
      }
    }
    return fields;
  }

  private static boolean fits(String value, ReadField.Kind kind) {
    switch (kind) {
      case LIST:
        return value.startsWith("[");
      case OBJECT:
        return value.startsWith("{");
      case NUMBER:
      case FRACTION:
        return Character.isDigit(value.charAt(0));
      case TRUTH:
        return value.equals("true") || value.equals("false");
      default:
        return !value.startsWith("[") && !value.startsWith("{");
    }
  }

  private String value(ReadField field, int number, int depth) {
    String name = field.name().toLowerCase(Locale.ROOT);
    switch (field.kind()) {
      case LIST:
        return depth >= deepest ? "[]" : list(depth);
      case OBJECT:
        return depth >= deepest ? "{}" : written(item(number, depth));
      case NUMBER:
        return String.valueOf(number);
      case FRACTION:
        return number + ".5";
      case TRUTH:
        return "true";
      default:
        break;
    }
    if (name.matches(".*(url|link|image|photo|icon|avatar|thumb).*")) {
      return "\"https://example.com/images/" + number + "/200x100.jpg\"";
    }
    return name.matches(".*(date|time|_at)")
        ? "\"2026-01-0" + number + "T12:00:00Z\""
        : "\"Text " + number + "\"";
  }

  private static String written(Map<String, String> fields) {
    return fields.entrySet().stream()
        .map(each -> "\"" + quoted(each.getKey()) + "\":" + each.getValue())
        .collect(Collectors.joining(",", "{", "}"));
  }

  private static String quoted(String name) {
    return name.replace("\\", "\\\\").replace("\"", "\\\"");
  }
}
