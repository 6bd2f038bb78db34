package dev.fewtaps.twin.code;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import com.google.gson.annotations.SerializedName;
import dev.fewtaps.twin.world.ReadField;
import dev.fewtaps.twin.world.ReadField.Kind;
import java.io.InputStream;
import java.util.List;
import org.junit.Test;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** What code reads of JSON is found in its calls and annotations. */
public class JsonReadsTest {
  /** Is read by annotations. */
  static final class Annotated {
    @SerializedName("first_name")
    String firstName;

    @SerializedName("ages")
    List<Integer> ages;
  }

  private static final String OBJECT = "org/json/JSONObject";
  private static final String TEXT = "Ljava/lang/String;";

  /** A class that reads by name; Android's classes are not there to compile it. */
  private static byte[] reading() {
    ClassWriter type = new ClassWriter(ClassWriter.COMPUTE_MAXS);
    type.visit(Opcodes.V11, Opcodes.ACC_PUBLIC, "a/ByName", null, "java/lang/Object", null);
    MethodVisitor code = type.visitMethod(Opcodes.ACC_STATIC, "read", "()V", null, null);
    code.visitLdcInsn("{}");
    code.visitMethodInsn(Opcodes.INVOKESPECIAL, OBJECT, "<init>", "(" + TEXT + ")V", false);
    String[][] calls = {
      {"getJSONArray", "(" + TEXT + ")Lorg/json/JSONArray;", "items"},
      {"getString", "(" + TEXT + ")" + TEXT, "title"},
      {"optInt", "(" + TEXT + "I)I", "pages"},
      {"optString", "(" + TEXT + TEXT + ")" + TEXT, "note", "no note"},
    };
    for (String[] call : calls) {
      for (int i = 2; i < call.length; i++) {
        code.visitLdcInsn(call[i]);
      }
      code.visitMethodInsn(Opcodes.INVOKEVIRTUAL, OBJECT, call[0], call[1], false);
    }
    code.visitInsn(Opcodes.RETURN);
    code.visitMaxs(0, 0);
    code.visitEnd();
    type.visitEnd();
    return type.toByteArray();
  }

  private static byte[] bytes(Class<?> type) throws Exception {
    try (InputStream in =
        type.getResourceAsStream(type.getName().replaceAll(".*\\.", "") + ".class")) {
      return in.readAllBytes();
    }
  }

  @Test
  public void callsAndAnnotationsNameFields() throws Exception {
    ReadField.All all = JsonReads.of(List.of(reading(), bytes(Annotated.class)));
    assertEquals(
        List.of(
            new ReadField("ages", Kind.LIST, false),
            new ReadField("first_name", Kind.TEXT, false),
            new ReadField("items", Kind.LIST, false),
            new ReadField("note", Kind.TEXT, true),
            new ReadField("pages", Kind.NUMBER, true),
            new ReadField("title", Kind.TEXT, false)),
        all.fields());
    assertTrue(all.isObject());
    assertFalse(all.isList());
  }
}
