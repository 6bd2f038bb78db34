package dev.fewtaps.twin.code;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;

/** Names a version of our own code, so that what an older one has cached is never used. */
final class Fingerprint {
  private Fingerprint() {}

  /** Returns a short text that changes with the given classes, those inside them, and the texts. */
  static String of(Class<?>[] classes, String... texts) {
    try {
      MessageDigest sha = MessageDigest.getInstance("SHA-256");
      for (Class<?> type : classes) {
        Class<?>[] nest = type.getNestMembers();
        Arrays.sort(nest, Comparator.comparing(Class::getName));
        for (Class<?> member : nest) {
          sha.update(bytesOf(member));
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

  private static byte[] bytesOf(Class<?> type) {
    String name = type.getName();
    String file = name.substring(name.lastIndexOf('.') + 1) + ".class";
    try (InputStream in = type.getResourceAsStream(file)) {
      return in == null ? new byte[0] : in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
