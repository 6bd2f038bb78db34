package dev.fewtaps.twin.code;

import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * Reads the certificates that an APK is signed with: from its signing block (schemes 3 and 2), else
 * from {@code META-INF} (scheme 1).
 *
 * <p>Nothing is verified: apps ask for their signer and compare it with the one they know. An APK
 * without a signature, or with a damaged one, has no certificates.
 */
public final class ApkSigners {
  private static final byte[] BLOCK_MAGIC = "APK Sig Block 42".getBytes(StandardCharsets.US_ASCII);
  private static final int SCHEME_3 = 0xf05368c0;
  private static final int SCHEME_2 = 0x7109871a;
  private static final int END_OF_DIRECTORY = 0x06054b50;
  private static final int END_BYTES = 22;
  private static final int MOST_COMMENT_BYTES = 0xffff;

  /** A block holds a few signatures of a few kilobytes; padding may fill a page of memory. */
  private static final int MOST_BLOCK_BYTES = 1 << 20;

  private ApkSigners() {}

  /** The certificate of each signer, as DER. */
  public static List<byte[]> certificates(Path apk) {
    try {
      List<byte[]> found = inBlock(apk);
      return found.isEmpty() ? inEntries(apk) : found;
    } catch (IOException
        | GeneralSecurityException
        | BufferUnderflowException
        | IllegalArgumentException damaged) {
      return Collections.emptyList();
    }
  }

  private static List<byte[]> inBlock(Path apk) throws IOException {
    ByteBuffer pairs = block(apk);
    ByteBuffer best = null;
    while (pairs.remaining() >= Long.BYTES) {
      ByteBuffer pair = slice(pairs, pairs.getLong());
      int scheme = pair.getInt();
      if (scheme == SCHEME_3 || scheme == SCHEME_2 && best == null) {
        best = pair;
      }
    }
    List<byte[]> found = new ArrayList<>();
    if (best != null) {
      ByteBuffer signers = part(best);
      while (signers.hasRemaining()) {
        ByteBuffer signed = part(part(signers));
        part(signed); // The digests.
        ByteBuffer certificate = part(part(signed));
        byte[] bytes = new byte[certificate.remaining()];
        certificate.get(bytes);
        found.add(bytes);
      }
    }
    return found;
  }

  /** The pairs of the signing block, which ends where the directory of the archive begins. */
  private static ByteBuffer block(Path apk) throws IOException {
    ByteBuffer none = ByteBuffer.allocate(0);
    try (RandomAccessFile file = new RandomAccessFile(apk.toFile(), "r")) {
      long directory = directoryOffset(file);
      int footer = Long.BYTES + BLOCK_MAGIC.length;
      if (directory < footer) {
        return none;
      }
      ByteBuffer end = read(file, directory - footer, footer);
      long size = end.getLong();
      byte[] magic = new byte[BLOCK_MAGIC.length];
      end.get(magic);
      boolean isBlock = Arrays.equals(magic, BLOCK_MAGIC);
      if (!isBlock || size < footer || size > Math.min(MOST_BLOCK_BYTES, directory - Long.BYTES)) {
        return none;
      }
      return read(file, directory - size, (int) size - footer);
    }
  }

  private static long directoryOffset(RandomAccessFile file) throws IOException {
    int length = (int) Math.min(file.length(), END_BYTES + MOST_COMMENT_BYTES);
    ByteBuffer tail = read(file, file.length() - length, length);
    for (int at = length - END_BYTES; at >= 0; at--) {
      if (tail.getInt(at) == END_OF_DIRECTORY) {
        return Integer.toUnsignedLong(tail.getInt(at + 16));
      }
    }
    return 0;
  }

  private static ByteBuffer read(RandomAccessFile file, long from, int length) throws IOException {
    byte[] bytes = new byte[length];
    file.seek(from);
    file.readFully(bytes);
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  /** The next part, which begins with its length. */
  private static ByteBuffer part(ByteBuffer buffer) {
    return slice(buffer, buffer.getInt());
  }

  private static ByteBuffer slice(ByteBuffer buffer, long length) {
    if (length < 0 || length > buffer.remaining()) {
      throw new BufferUnderflowException();
    }
    ByteBuffer slice = buffer.slice().order(ByteOrder.LITTLE_ENDIAN);
    slice.limit((int) length);
    buffer.position(buffer.position() + (int) length);
    return slice;
  }

  private static List<byte[]> inEntries(Path apk) throws IOException, GeneralSecurityException {
    List<byte[]> found = new ArrayList<>();
    try (ZipFile archive = new ZipFile(apk.toFile())) {
      for (ZipEntry entry : Collections.list(archive.entries())) {
        if (entry.getName().matches("META-INF/[^/]+\\.(RSA|DSA|EC)")
            && entry.getSize() < MOST_BLOCK_BYTES) {
          try (InputStream stream = archive.getInputStream(entry)) {
            // The certificate of the signer comes first, those of its issuers follow.
            for (Certificate first :
                CertificateFactory.getInstance("X.509").generateCertificates(stream)) {
              found.add(first.getEncoded());
              break;
            }
          }
        }
      }
    }
    return found;
  }
}
