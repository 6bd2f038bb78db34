package dev.fewtaps.twin.inside;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;

import java.nio.file.Paths;
import org.junit.Test;

public class TextsTest {
  @Test
  public void hashCodesAreHidden() {
    assertEquals("java.lang.Object@0", Texts.withoutHashes("java.lang.Object@1b2c3d4e"));
    assertEquals(
        "android.widget.Button{0 VFED..C..}",
        Texts.withoutHashes("android.widget.Button{3f5a1c0 VFED..C..}"));
    assertEquals("a@0 and b@0", Texts.withoutHashes("a@12345 and b@67890"));
  }

  @Test
  public void whatOnlyLooksSimilarStays() {
    for (String text :
        new String[] {
          "mail@feedface1", "x@1234", "x@123456789", "{deadbeefs}", "x@1B2C3D4E", "1b2c3d4e", ""
        }) {
      assertEquals(text, Texts.withoutHashes(text));
    }
  }

  @Test
  public void noTextStaysNoText() {
    assertNull(Texts.withoutHashes(null));
  }

  @Test
  public void pathsInMessagesAreThoseOfAPhone() {
    Texts.setRoot(Paths.get("/tmp/twin/data/phone"));
    assertEquals(
        "/data/user/0/com.a/files/x: open failed: ENOENT",
        Texts.asOnPhone("/tmp/twin/data/phone/data/user/0/com.a/files/x: open failed: ENOENT"));
    Texts.setRoot(Paths.get("/"));
    assertEquals("/sdcard/x and a@0", Texts.asOnPhone("/sdcard/x and a@12345"));
  }
}
