package dev.fewtaps.twin;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import dev.fewtaps.twin.code.AppCode;
import dev.fewtaps.twin.code.CoverageReport;
import dev.fewtaps.twin.code.DexInstrumenter;
import dev.fewtaps.twin.code.ZippedSources;
import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.Paths;

/** Answers requests about an APK, for which no app has to be open. */
final class Reports {
  private Reports() {}

  /** Makes a coverage report and says what went into it. */
  static JsonObject coverage(JsonObject request) throws IOException {
    Path names = request.has("names") ? path(request, "names") : null;
    try (AppCode code = AppCode.open(path(request, "apk"), path(request, "cache"), null, names);
        ZippedSources sources =
            request.has("sources") ? new ZippedSources(path(request, "sources")) : null) {
      CoverageReport report = new CoverageReport(code, request.get("coverage").getAsString());
      report.add(path(request, "executions"));
      report.write(
          path(request, "path"),
          request.get("title").getAsString(),
          request.get("xml").getAsBoolean(),
          request.get("html").getAsBoolean(),
          sources);
      JsonObject reply = new JsonObject();
      reply.addProperty("executed", report.executedCount());
      reply.addProperty("foreign", report.foreignCount());
      if (sources != null) {
        reply.addProperty("sources_wanted", sources.wanted());
        reply.addProperty("sources_found", sources.found());
      }
      return reply;
    }
  }

  /** Instruments an app's DEX files and says what became of them. */
  static JsonObject instrumented(JsonObject request) throws IOException {
    try (AppCode code = AppCode.open(path(request, "apk"), path(request, "cache"))) {
      DexInstrumenter instrumenter =
          new DexInstrumenter(
              code, request.get("coverage").getAsString(), request.get("package").getAsString());
      instrumenter.write(path(request, "path"));
      JsonObject reply = new JsonObject();
      reply.addProperty("probes", instrumenter.probeCount());
      reply.addProperty("methods", instrumenter.methodCounts()[0]);
      reply.addProperty("skipped", instrumenter.methodCounts()[1]);
      JsonArray notes = new JsonArray();
      instrumenter.notes().forEach(notes::add);
      reply.add("notes", notes);
      return reply;
    }
  }

  private static Path path(JsonObject request, String field) {
    return Paths.get(request.get(field).getAsString());
  }
}
