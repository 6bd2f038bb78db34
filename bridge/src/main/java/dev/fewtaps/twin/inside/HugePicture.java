package dev.fewtaps.twin.inside;

import dev.fewtaps.twin.world.MosaicJpeg;
import java.io.File;

/** A picture larger than what an app can hold in memory: 8000 by 6000 pixels, 2 MB as a file. */
final class HugePicture {
  private static final int WIDTH = 8_000;
  private static final int HEIGHT = 6_000;
  private static final String PATH = "DCIM/Camera/PANO_20260104_150000.jpg";

  private HugePicture() {}

  static byte[] bytes() {
    return MosaicJpeg.make(WIDTH, HEIGHT, 1, 6);
  }

  /** Puts it on the shared storage and returns its path there. */
  static String put(File root) {
    new PhoneFile(0, PATH, "image/jpeg", bytes(), new int[] {WIDTH, HEIGHT}, 0, null)
        .write(root.toPath());
    return PATH;
  }
}
