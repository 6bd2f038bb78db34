package dev.fewtaps.twin.inside;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import dev.fewtaps.twin.code.AppCode;
import dev.fewtaps.twin.code.CoverageProbes;
import dev.fewtaps.twin.code.Mutant;
import dev.fewtaps.twin.code.Mutants;
import dev.fewtaps.twin.code.MutationOperator;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The mutants of an app as the bridge protocol writes them. */
final class MutantList {
  private final AppCode code;
  private final CoverageProbes probes;

  /** Makes a list of the classes that are measured. */
  MutantList(AppCode code, CoverageProbes probes) {
    this.code = code;
    this.probes = probes;
  }

  /** Answers the request {@code mutants}. */
  JsonObject reply(JsonObject request) {
    Set<MutationOperator> operators =
        request.has("operators")
            ? MutationOperator.named(texts(request.get("operators")))
            : MutationOperator.standard();
    Set<String> wanted =
        request.has("classes") ? new HashSet<>(texts(request.get("classes"))) : null;
    JsonArray classes = new JsonArray();
    for (String name : probes.names()) {
      byte[] bytes = wanted == null || wanted.contains(name) ? code.bytes(name) : null;
      List<Mutant> mutants = bytes == null ? List.of() : Mutants.of(bytes, operators);
      if (!mutants.isEmpty()) {
        classes.add(write(name, mutants));
      }
    }
    JsonObject reply = new JsonObject();
    reply.add("classes", classes);
    return reply;
  }

  private JsonObject write(String name, List<Mutant> mutants) {
    CoverageProbes.Numbers numbers = probes.numbers(name);
    JsonArray list = new JsonArray();
    for (Mutant mutant : mutants) {
      list.add(write(mutant, numbers));
    }
    JsonObject type = new JsonObject();
    type.addProperty("name", name);
    String file = mutants.get(0).file();
    if (file != null) {
      type.addProperty("file", file);
    }
    type.add("mutants", list);
    return type;
  }

  private static JsonArray write(Mutant mutant, CoverageProbes.Numbers numbers) {
    Mutant.Place place = mutant.place();
    JsonArray fields = new JsonArray();
    fields.add(place.method());
    fields.add(place.desc());
    fields.add(place.index());
    fields.add(place.operator().name());
    fields.add(mutant.line());
    fields.add(numbers.lines().get(mutant.line()));
    fields.add(numbers.methods().get(place.method() + place.desc()));
    fields.add(mutant.description());
    fields.add(mutant.instruction());
    return fields;
  }

  private static List<String> texts(JsonElement array) {
    List<String> texts = new ArrayList<>();
    array.getAsJsonArray().forEach(element -> texts.add(element.getAsString()));
    return texts;
  }

  /**
   * Reads which mutant a launch asks for.
   *
   * @throws IllegalArgumentException if a field is missing or names no operator
   */
  static Mutant.Place place(JsonObject mutant) {
    for (String field : List.of("class", "method", "desc", "index", "operator")) {
      if (!mutant.has(field)) {
        throw new IllegalArgumentException("a mutant needs its " + field);
      }
    }
    return new Mutant.Place(
        mutant.get("class").getAsString(),
        mutant.get("method").getAsString(),
        mutant.get("desc").getAsString(),
        mutant.get("index").getAsInt(),
        MutationOperator.valueOf(mutant.get("operator").getAsString()));
  }
}
