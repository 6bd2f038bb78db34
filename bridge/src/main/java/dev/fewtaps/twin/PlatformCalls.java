package dev.fewtaps.twin;

import dev.fewtaps.twin.world.HiddenJava;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/** Leads the framework's uses of hidden parts of Android's Java library to {@link HiddenJava}. */
final class PlatformCalls {
  private static final String HERE = Type.getInternalName(HiddenJava.class);

  /** Beginnings of the names of framework classes that use such parts in what an app can call. */
  private static final List<String> USERS = List.of("android.net.", "android.media.MediaCodec");

  /** By owner and name, what is hidden. */
  private static final Map<String, String> METHODS =
      Map.of(
          "parseNumericAddress", "java/net/InetAddress",
          "isNumeric", "java/net/InetAddress",
          "getByNameOnNet", "java/net/InetAddress",
          "getAllByNameOnNet", "java/net/InetAddress",
          "clearDnsCache", "java/net/InetAddress",
          "setAccessible", "java/nio/ByteBuffer");

  private static final Map<String, String> FIELDS =
      Map.of("java/net/Inet4Address", "any4", "java/net/Inet6Address", "any6");

  private PlatformCalls() {}

  /** Whether a class of this name may use what is hidden. */
  static boolean concern(String className) {
    return USERS.stream().anyMatch(className::startsWith);
  }

  /** Returns the class with its calls led here, or null if it has none of them. */
  static byte[] led(byte[] code) {
    String raw = new String(code, StandardCharsets.ISO_8859_1);
    boolean isUser =
        METHODS.keySet().stream().anyMatch(raw::contains)
            || (FIELDS.keySet().stream().anyMatch(raw::contains) && raw.contains("ANY"));
    if (!isUser) {
      return null;
    }
    ClassWriter writer = new ClassWriter(0);
    new ClassReader(code).accept(new Leading(writer), 0);
    return writer.toByteArray();
  }

  private static final class Leading extends ClassVisitor {
    Leading(ClassVisitor next) {
      super(Opcodes.ASM9, next);
    }

    @Override
    public MethodVisitor visitMethod(
        int access, String name, String descriptor, String signature, String[] exceptions) {
      MethodVisitor next = super.visitMethod(access, name, descriptor, signature, exceptions);
      return new MethodVisitor(Opcodes.ASM9, next) {
        @Override
        public void visitMethodInsn(
            int opcode, String owner, String called, String type, boolean isInterface) {
          if (!owner.equals(METHODS.get(called))) {
            super.visitMethodInsn(opcode, owner, called, type, isInterface);
            return;
          }
          String all =
              opcode == Opcodes.INVOKESTATIC ? type : "(L" + owner + ";" + type.substring(1);
          super.visitMethodInsn(Opcodes.INVOKESTATIC, HERE, called, all, false);
        }

        @Override
        public void visitFieldInsn(int opcode, String owner, String field, String type) {
          if (opcode == Opcodes.GETSTATIC && field.equals("ANY") && FIELDS.containsKey(owner)) {
            super.visitMethodInsn(
                Opcodes.INVOKESTATIC, HERE, FIELDS.get(owner), "()" + type, false);
          } else {
            super.visitFieldInsn(opcode, owner, field, type);
          }
        }
      };
    }
  }
}
