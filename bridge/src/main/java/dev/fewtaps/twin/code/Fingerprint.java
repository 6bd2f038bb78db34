package dev.fewtaps.twin.code;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.Opcodes;

/** Names a version of our own code, so that what an older one has cached is never used. */
final class Fingerprint {
  private Fingerprint() {}

  /**
   * Returns a short text that changes with classes of this package, given by simple name, with
   * those inside them, and with the texts. Loads none of them.
   */
  static String of(List<String> simpleNames, String... texts) {
    try {
      MessageDigest sha = MessageDigest.getInstance("SHA-256");
      for (String name : simpleNames) {
        byte[] bytes = bytesOf(name);
        sha.update(bytes);
        for (String inner : innerNames(bytes)) {
          sha.update(bytesOf(inner));
        }
      }
      for (String text : texts) {
        sha.update(text.getBytes(StandardCharsets.UTF_8));
        sha.update((byte) 0);
      }
      return HexFormat.of().formatHex(sha.digest(), 0, 6);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  private static List<String> innerNames(byte[] bytes) {
    List<String> names = new ArrayList<>();
    new ClassReader(bytes)
        .accept(
            new ClassVisitor(Opcodes.ASM9) {
              @Override
              public void visitNestMember(String member) {
                names.add(member.substring(member.lastIndexOf('/') + 1));
              }
            },
            ClassReader.SKIP_CODE);
    Collections.sort(names);
    return names;
  }

  private static byte[] bytesOf(String simpleName) {
    try (InputStream in = Fingerprint.class.getResourceAsStream(simpleName + ".class")) {
      if (in == null) {
        throw new IllegalArgumentException("no class " + simpleName);
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
