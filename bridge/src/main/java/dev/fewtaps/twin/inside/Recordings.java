package dev.fewtaps.twin.inside;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.stream.JsonWriter;
import dev.fewtaps.twin.code.RecordedApp;
import dev.fewtaps.twin.world.Recorder;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.robolectric.RuntimeEnvironment;

/** The app as its recordings see it, and the recording of the present run. */
final class Recordings {
  private RecordedApp app;
  private String scope;

  /** Returns the app with probes in the classes that a launch's field {@code record} names. */
  RecordedApp choose(Settings settings, JsonObject record) throws IOException {
    String wanted = scope(record.get("scope"));
    if (app == null || !wanted.equals(scope)) {
      forget();
      app =
          RecordedApp.open(
              settings.apk,
              settings.cache,
              getClass().getClassLoader(),
              String.valueOf(RuntimeEnvironment.getApiLevel()),
              wanted);
      scope = wanted;
    }
    return app;
  }

  private static String scope(JsonElement element) {
    if (element == null || element.isJsonNull()) {
      return "all";
    }
    if (!element.isJsonArray()) {
      return element.getAsString();
    }
    List<String> packages = new ArrayList<>();
    element.getAsJsonArray().forEach(each -> packages.add(each.getAsString()));
    return String.join(",", packages);
  }

  /** Starts to record as a launch's field {@code record} says. */
  void begin(JsonObject record) throws IOException {
    JsonElement until = record.get("until");
    Recorder.begin(
        Path.of(record.get("path").getAsString()),
        record.has("from") ? record.get("from").getAsInt() : 0,
        until == null || until.isJsonNull() ? Integer.MAX_VALUE : until.getAsInt());
  }

  /** The reply to {@code code}: the methods of which the recording has blocks. */
  String code() throws IOException {
    if (app == null || !Recorder.isOn()) {
      throw new IllegalArgumentException("this run is not recorded");
    }
    StringWriter text = new StringWriter(1 << 16);
    try (JsonWriter out = new JsonWriter(text)) {
      out.setHtmlSafe(false);
      out.beginObject();
      app.writeClasses(out, Recorder.blocks());
      out.endObject();
    }
    return text.toString();
  }

  /** Lets go of the app. */
  void forget() throws IOException {
    if (app != null) {
      app.close();
      app = null;
    }
  }
}
