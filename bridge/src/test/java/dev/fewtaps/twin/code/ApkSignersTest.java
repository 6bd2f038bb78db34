package dev.fewtaps.twin.code;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Collections;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class ApkSignersTest {
  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  private static final Path SAMPLES = Path.of(System.getProperty("fewtaps.samples"));

  private static byte[] ours() throws Exception {
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream stream = Files.newInputStream(SAMPLES.resolve("debug.p12"))) {
      store.load(stream, "android".toCharArray());
    }
    return store.getCertificate(store.aliases().nextElement()).getEncoded();
  }

  /** The same entries in a new archive, without a signing block; some are left out. */
  private Path packed(Path apk, String without) throws IOException {
    Path copy = folder.newFile().toPath();
    try (ZipFile archive = new ZipFile(apk.toFile());
        OutputStream stream = Files.newOutputStream(copy);
        ZipOutputStream out = new ZipOutputStream(stream)) {
      for (ZipEntry entry : Collections.list(archive.entries())) {
        if (without.isEmpty() || !entry.getName().startsWith(without)) {
          out.putNextEntry(new ZipEntry(entry.getName()));
          archive.getInputStream(entry).transferTo(out);
        }
      }
    }
    return copy;
  }

  @Test
  public void theSigningBlockHasTheCertificate() throws Exception {
    Path apk = SAMPLES.resolve("calc.apk");
    byte[] bytes = Files.readAllBytes(apk);
    Path withoutEntries = folder.newFile().toPath();
    // The name of the file in META-INF is spoilt, so that only the block is left.
    String text = new String(bytes, StandardCharsets.ISO_8859_1);
    Files.writeString(
        withoutEntries,
        text.replace("META-INF/DEBUG.RSA", "META-INF/DEBUG.XXX"),
        StandardCharsets.ISO_8859_1);
    List<byte[]> found = ApkSigners.certificates(withoutEntries);
    assertEquals(1, found.size());
    assertArrayEquals(ours(), found.get(0));
  }

  @Test
  public void anOlderApkHasItInMetaInf() throws Exception {
    List<byte[]> found = ApkSigners.certificates(packed(SAMPLES.resolve("calc.apk"), ""));
    assertEquals(1, found.size());
    assertArrayEquals(ours(), found.get(0));
  }

  @Test
  public void whatIsNotSignedHasNone() throws Exception {
    assertTrue(ApkSigners.certificates(packed(SAMPLES.resolve("calc.apk"), "META-INF")).isEmpty());
  }

  @Test
  public void damageAnywhereInTheBlockIsNoError() throws Exception {
    byte[] bytes = Files.readAllBytes(SAMPLES.resolve("calc.apk"));
    Path damaged = folder.newFile().toPath();
    for (int at = 1; at < 6000; at += 97) {
      byte[] copy = bytes.clone();
      copy[copy.length - at] ^= (byte) 0xff;
      Files.write(damaged, copy);
      assertTrue(ApkSigners.certificates(damaged).size() <= 1);
    }
    Files.write(damaged, new byte[5]);
    assertTrue(ApkSigners.certificates(damaged).isEmpty());
  }
}
