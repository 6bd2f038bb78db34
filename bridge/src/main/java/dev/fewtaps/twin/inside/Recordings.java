package dev.fewtaps.twin.inside;

import android.app.Application;
import android.content.Context;
import android.content.res.Resources;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import dev.fewtaps.twin.code.AppCode;
import dev.fewtaps.twin.code.Recording;
import dev.fewtaps.twin.world.Recorder;
import java.io.IOException;
import java.nio.file.Path;
import org.robolectric.RuntimeEnvironment;

/** The app as its recordings see it, and the recording of the present run. */
final class Recordings {
  private Recording app;
  private String key;

  /** Returns the app with the probes that a launch's field {@code record} asks for. */
  Recording choose(AppCode opened, JsonObject record) throws IOException {
    String wanted = record.get("scope") + " " + record.get("values");
    if (app == null || !wanted.equals(key)) {
      forget();
      app =
          new Recording(
              opened,
              getClass().getClassLoader(),
              String.valueOf(RuntimeEnvironment.getApiLevel()),
              record);
      key = wanted;
    }
    return app;
  }

  /** Starts to record as a launch's field {@code record} says. */
  void begin(JsonObject record) throws IOException {
    JsonElement until = record.get("until");
    Recorder.begin(
        Path.of(record.get("path").getAsString()),
        record.has("from") ? record.get("from").getAsInt() : 0,
        until == null || until.isJsonNull() ? Integer.MAX_VALUE : until.getAsInt());
  }

  /**
   * The reply to {@code code}: the methods of which the recording of this run has blocks or, with
   * {@code record}, those of a recording that another process has made.
   */
  String code(AppCode opened, JsonObject request) throws IOException {
    if (request.has("record")) {
      return choose(opened, request.getAsJsonObject("record")).reply(request, Recordings::resource);
    }
    if (app == null || !Recorder.isOn()) {
      throw new IllegalArgumentException("this run is not recorded");
    }
    return app.reply(Recorder.blocks(), Recordings::resource);
  }

  /** The name of a resource as code has it, {@code R.id.title}; null for a number that is none. */
  private static String resource(int number) {
    Application application = (Application) RuntimeEnvironment.application;
    Context base = application == null ? null : application.getBaseContext();
    if (base == null) {
      return null;
    }
    try {
      // Of the base, since an app may have its own idea of its resources.
      Resources resources = base.getResources();
      return String.join(
          ".", "R", resources.getResourceTypeName(number), resources.getResourceEntryName(number));
    } catch (Resources.NotFoundException e) {
      return null;
    }
  }

  /** Lets go of the app. */
  void forget() throws IOException {
    if (app != null) {
      app.close();
      app = null;
    }
  }
}
