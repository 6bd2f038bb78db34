package dev.fewtaps.twin.code;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.stream.JsonWriter;
import java.io.Closeable;
import java.io.IOException;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import org.objectweb.asm.tree.ClassNode;

/**
 * An app as its recordings see it: translated so that all its lines have code, with probes that
 * call the recorder, and with a model of the code that explains what the probes wrote.
 */
public final class Recording implements Transform, Closeable {
  private static final String RECORDER = "dev/fewtaps/twin/world/Recorder";

  /** The classes of this package that the prepared classes depend on. */
  private static final List<String> MAKERS =
      List.of(
          "CallRewriter",
          "AppTransform",
          "TypeLookup",
          "AppPackages",
          "ShrunkClasses",
          "AppClassLoader",
          "Recording",
          "RecordedClasses",
          "RecordedTypes",
          "RecordingProbes",
          "MethodModel",
          "CodeModel",
          "Placeholders",
          "ValueProbes");

  private final AppCode code;
  private final RecordedClasses classes;

  /** The classes without probes while values are recorded, or null. */
  private final ReadyClasses unprobed;

  /** The instructions whose values are recorded, by class and by name and desc of the method. */
  private final Map<String, Map<String, Set<Integer>>> values;

  /**
   * Opens an APK for recordings.
   *
   * @param opened the same APK as it is opened for other runs
   * @param platform names the Android below, whose classes the rewriting depends on
   * @param record the field {@code record} of a launch; its {@code scope} is {@code all} for every
   *     class of the APK, {@code app} for the app's own, or a list of packages; with {@code values}
   *     only the instructions that it names are recorded, with their values
   * @throws IOException if the APK cannot be read
   * @throws IllegalArgumentException if a field is malformed
   */
  public Recording(AppCode opened, ClassLoader parent, String platform, JsonObject record)
      throws IOException {
    List<String> scope = scope(record);
    code = opened.reopenWithLines();
    HookTable hooks = HookTable.standard();
    RecordedTypes types = new RecordedTypes(code, recorded(code, parent, scope));
    AppTransform plain = new AppTransform(new CallRewriter(hooks, code, parent), null);
    String key = Fingerprint.of(MAKERS, hooks.describe(), String.join(",", scope), platform);
    values = values(record.get("values"));
    if (values == null) {
      unprobed = null;
      RecordedClasses.Probes probes =
          (model, first) -> RecordingProbes.insert(model, RECORDER, first);
      classes = new RecordedClasses(code, types, probes, plain, key);
    } else {
      unprobed = new ReadyClasses(code, plain, "unprobed-" + key);
      classes = new RecordedClasses(code, types, this::insertValueProbes, plain, null);
    }
  }

  private void insertValueProbes(MethodModel model, int first) {
    String className = model.owner.name.replace('/', '.');
    Set<Integer> wanted = values.get(className).get(model.key());
    if (wanted != null) {
      ValueProbes.insert(model, RECORDER, first, wanted);
    }
  }

  private static Map<String, Map<String, Set<Integer>>> values(JsonElement wanted) {
    if (wanted == null || wanted.isJsonNull()) {
      return null;
    }
    Map<String, Map<String, Set<Integer>>> values = new HashMap<>();
    try {
      for (Map.Entry<String, JsonElement> type : wanted.getAsJsonObject().entrySet()) {
        Map<String, Set<Integer>> methods = new HashMap<>();
        for (Map.Entry<String, JsonElement> method : type.getValue().getAsJsonObject().entrySet()) {
          Set<Integer> numbers = new HashSet<>();
          method.getValue().getAsJsonArray().forEach(number -> numbers.add(number.getAsInt()));
          methods.put(method.getKey(), numbers);
        }
        values.put(type.getKey(), methods);
      }
    } catch (IllegalStateException | NumberFormatException e) {
      throw new IllegalArgumentException("values are given by class, method and instructions", e);
    }
    return values;
  }

  private static List<String> scope(JsonObject record) {
    JsonElement scope = record.get("scope");
    if (scope == null || scope.isJsonNull()) {
      return List.of("all");
    }
    List<String> names = new ArrayList<>();
    JsonArray list = new JsonArray();
    if (scope.isJsonArray()) {
      list = scope.getAsJsonArray();
    } else {
      list.add(scope);
    }
    for (JsonElement name : list) {
      if (!name.isJsonPrimitive() || !name.getAsString().matches("[\\w$.]+")) {
        throw new IllegalArgumentException("what to record is given by all, app or package names");
      }
      names.add(name.getAsString());
    }
    return names;
  }

  /** Which classes are recorded, by dotted name. */
  private static Predicate<String> recorded(AppCode code, ClassLoader parent, List<String> scope) {
    Map<String, Boolean> known = new ConcurrentHashMap<>();
    return name ->
        known.computeIfAbsent(
            name,
            key ->
                AppClassLoader.comesFromApk(key, code, parent)
                    && scope.stream().anyMatch(part -> isPartOf(key, part, code)));
  }

  private static boolean isPartOf(String className, String part, AppCode code) {
    return switch (part) {
      case "all" -> true;
      case "app" -> code.isAppClass(className);
      default -> className.startsWith(part + ".");
    };
  }

  /** The app's code as it is translated for recordings. */
  public AppCode code() {
    return code;
  }

  @Override
  public byte[] recall(String className) {
    return isProbed(className) ? classes.recall(className) : unprobed.recall(className);
  }

  @Override
  public byte[] apply(String className, byte[] bytes) {
    return isProbed(className) ? classes.apply(className, bytes) : unprobed.apply(className, bytes);
  }

  private boolean isProbed(String className) {
    return values == null || values.containsKey(className);
  }

  /**
   * Answers the request {@code code} as JSON text: the methods to which its {@code blocks} belong,
   * or else all methods of the classes that were loaded since the app was opened.
   *
   * <p>With {@code numbers}, the first blocks of classes by their names, it describes those classes
   * with those numbers: they are from a recording of another process.
   *
   * @param resources the name of a resource by its number, null for a number that is none
   */
  public String reply(JsonObject request, IntFunction<String> resources) throws IOException {
    BitSet blocks = blocks(request.get("blocks"));
    JsonElement numbers = request.get("numbers");
    if (numbers == null || numbers.isJsonNull()) {
      return reply(blocks, classes.numbered(), resources);
    }
    JsonObject firsts = numbers.getAsJsonObject();
    for (String name : firsts.keySet()) {
      if (code.hasClass(name) && code.bytes(name) != null) {
        classes.require(name);
      }
    }
    Map<String, RecordedClasses.Numbered> here = classes.numbered();
    Map<String, RecordedClasses.Numbered> there = new LinkedHashMap<>();
    for (Map.Entry<String, JsonElement> entry : firsts.entrySet()) {
      RecordedClasses.Numbered known = here.get(entry.getKey());
      if (known != null) {
        int first = entry.getValue().getAsInt();
        there.put(
            entry.getKey(), new RecordedClasses.Numbered(first, known.count(), known.opaque()));
      }
    }
    return reply(blocks, there, resources);
  }

  /**
   * Describes the methods to which some blocks belong, and all methods of the app's own classes
   * that were loaded, as JSON text; without blocks, all methods of all classes that were loaded.
   */
  public String reply(BitSet blocks, IntFunction<String> resources) throws IOException {
    return reply(blocks, classes.numbered(), resources);
  }

  private String reply(
      BitSet blocks, Map<String, RecordedClasses.Numbered> described, IntFunction<String> resources)
      throws IOException {
    StringWriter text = new StringWriter(1 << 16);
    try (JsonWriter out = new JsonWriter(text)) {
      out.setHtmlSafe(false);
      out.beginObject();
      writeClasses(out, new CodeWriter(out, resources), blocks, described);
      out.endObject();
    }
    return text.toString();
  }

  private static BitSet blocks(JsonElement numbers) {
    if (numbers == null || numbers.isJsonNull()) {
      return null;
    }
    BitSet blocks = new BitSet();
    for (JsonElement number : numbers.getAsJsonArray()) {
      blocks.set(number.getAsInt());
    }
    return blocks;
  }

  private void writeClasses(
      JsonWriter out,
      CodeWriter writer,
      BitSet blocks,
      Map<String, RecordedClasses.Numbered> described)
      throws IOException {
    out.name("classes").beginArray();
    for (Map.Entry<String, RecordedClasses.Numbered> entry : described.entrySet()) {
      RecordedClasses.Numbered numbers = entry.getValue();
      int end = numbers.first() + numbers.count();
      BitSet wanted = code.isAppClass(entry.getKey()) ? null : blocks;
      if (wanted == null || has(wanted, numbers.first(), end)) {
        write(out, writer, entry.getKey(), numbers.first(), wanted);
      }
    }
    out.endArray();
  }

  private void write(JsonWriter out, CodeWriter writer, String name, int first, BitSet blocks)
      throws IOException {
    CodeModel model = classes.model(name);
    ClassNode type = model.type();
    out.beginObject().name("name").value(name);
    if (type.sourceFile != null) {
      out.name("file").value(type.sourceFile);
    }
    out.name("super").value(type.superName == null ? null : type.superName.replace('/', '.'));
    out.name("interfaces").beginArray();
    for (String above : type.interfaces) {
      out.value(above.replace('/', '.'));
    }
    out.endArray();
    out.name("app").value(code.isAppClass(name));
    out.name("methods").beginArray();
    for (int i = 0; i < model.methods().size(); i++) {
      MethodModel method = model.methods().get(i);
      int start = first + model.first(i);
      boolean opaque = method.opaque() != null;
      if (blocks == null || opaque || has(blocks, start, start + method.blocks().size())) {
        writer.write(method, start);
      }
    }
    out.endArray().endObject();
  }

  private static boolean has(BitSet blocks, int from, int to) {
    int found = blocks.nextSetBit(from);
    return found >= 0 && found < to;
  }

  @Override
  public void close() throws IOException {
    classes.close();
    if (unprobed != null) {
      unprobed.close();
    }
    code.close();
  }
}
