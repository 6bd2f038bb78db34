package dev.fewtaps.twin.code;

import dev.fewtaps.twin.world.ReadField;
import dev.fewtaps.twin.world.ReadField.Kind;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.objectweb.asm.AnnotationVisitor;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.FieldVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Finds the fields of JSON that an app's own code reads: by name through {@code org.json}, or by
 * the annotations of Gson, Moshi and kotlinx.serialization.
 */
public final class JsonReads {
  private static final String JSON_OBJECT = "org/json/JSONObject";
  private static final String JSON_ARRAY = "org/json/JSONArray";

  /** By annotation of a field, its element that holds the name. */
  private static final Map<String, String> ANNOTATIONS =
      Map.of(
          "Lcom/google/gson/annotations/SerializedName;", "value",
          "Lcom/squareup/moshi/Json;", "name",
          "Lkotlinx/serialization/SerialName;", "value");

  /** More fields than this make answers too long. */
  private static final int MOST_FIELDS = 80;

  private static final int MOST_CLASSES = 4000;

  private final SortedMap<String, ReadField> found = new TreeMap<>();
  private boolean makesLists;
  private boolean makesObjects;

  private JsonReads() {}

  /** What the app's own classes read. It looks at all of them, once. */
  public static ReadField.All of(AppCode code) {
    JsonReads reads = new JsonReads();
    code.appClassNames().stream().limit(MOST_CLASSES).map(code::bytes).forEach(reads::look);
    return reads.all();
  }

  static ReadField.All of(Iterable<byte[]> classes) {
    JsonReads reads = new JsonReads();
    classes.forEach(reads::look);
    return reads.all();
  }

  private ReadField.All all() {
    List<ReadField> fields = found.values().stream().limit(MOST_FIELDS).toList();
    return new ReadField.All(fields, makesLists && !makesObjects, makesObjects && !makesLists);
  }

  private void look(byte[] bytes) {
    if (bytes == null) {
      return;
    }
    String raw = new String(bytes, StandardCharsets.ISO_8859_1);
    if (raw.contains("org/json/JSON") || ANNOTATIONS.keySet().stream().anyMatch(raw::contains)) {
      new ClassReader(bytes).accept(new Looking(), ClassReader.SKIP_FRAMES);
    }
  }

  private void add(String name, Kind kind, boolean isOptional) {
    ReadField before = found.get(name);
    boolean isNeeded = !isOptional || (before != null && !before.isOptional());
    // A field that is read as a text and as something else is that: a text is what get() is for.
    Kind known = before == null || before.kind() == Kind.TEXT ? kind : before.kind();
    found.put(name, new ReadField(name, known, !isNeeded));
  }

  private static Kind kindOfCall(String method) {
    switch (method.substring("get".length())) {
      case "Int":
      case "Long":
        return Kind.NUMBER;
      case "Double":
        return Kind.FRACTION;
      case "Boolean":
        return Kind.TRUTH;
      case "JSONArray":
        return Kind.LIST;
      case "JSONObject":
        return Kind.OBJECT;
      default:
        return Kind.TEXT;
    }
  }

  private static Kind kindOfField(String descriptor) {
    switch (descriptor) {
      case "Ljava/lang/String;":
      case "Ljava/lang/CharSequence;":
      case "Ljava/lang/Object;":
        return Kind.TEXT;
      case "I":
      case "J":
      case "S":
      case "B":
      case "Ljava/lang/Integer;":
      case "Ljava/lang/Long;":
        return Kind.NUMBER;
      case "D":
      case "F":
      case "Ljava/lang/Double;":
      case "Ljava/lang/Float;":
        return Kind.FRACTION;
      case "Z":
      case "Ljava/lang/Boolean;":
        return Kind.TRUTH;
      default:
        boolean isList = descriptor.startsWith("[") || descriptor.startsWith("Ljava/util/");
        return isList && !descriptor.endsWith("Map;") ? Kind.LIST : Kind.OBJECT;
    }
  }

  private final class Looking extends ClassVisitor {
    Looking() {
      super(Opcodes.ASM9);
    }

    @Override
    public FieldVisitor visitField(
        int access, String name, String descriptor, String signature, Object value) {
      return new FieldVisitor(Opcodes.ASM9) {
        @Override
        public AnnotationVisitor visitAnnotation(String type, boolean isVisible) {
          String element = ANNOTATIONS.get(type);
          return element == null
              ? null
              : new AnnotationVisitor(Opcodes.ASM9) {
                @Override
                public void visit(String of, Object given) {
                  if (of.equals(element)) {
                    add(String.valueOf(given), kindOfField(descriptor), false);
                  }
                }
              };
        }
      };
    }

    @Override
    public MethodVisitor visitMethod(
        int access, String name, String descriptor, String signature, String[] exceptions) {
      return new Calls();
    }
  }

  private final class Calls extends MethodVisitor {
    /** The texts that were pushed since the last call. */
    private final List<String> pushed = new ArrayList<>();

    Calls() {
      super(Opcodes.ASM9);
    }

    @Override
    public void visitLdcInsn(Object value) {
      if (value instanceof String text) {
        pushed.add(text);
      }
    }

    @Override
    public void visitMethodInsn(
        int opcode, String owner, String name, String descriptor, boolean isInterface) {
      boolean isMade = name.equals("<init>") && descriptor.equals("(Ljava/lang/String;)V");
      makesLists |= isMade && owner.equals(JSON_ARRAY);
      makesObjects |= isMade && owner.equals(JSON_OBJECT);
      boolean reads = name.startsWith("get") || name.startsWith("opt");
      if (reads && owner.equals(JSON_OBJECT) && descriptor.startsWith("(Ljava/lang/String;")) {
        int texts = descriptor.startsWith("(Ljava/lang/String;Ljava/lang/String;)") ? 2 : 1;
        int at = pushed.size() < texts ? pushed.size() - 1 : pushed.size() - texts;
        if (at >= 0) {
          add(pushed.get(at), kindOfCall(name), name.startsWith("opt"));
        }
      }
      pushed.clear();
    }
  }
}
