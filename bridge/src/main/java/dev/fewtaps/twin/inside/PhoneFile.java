package dev.fewtaps.twin.inside;

import dev.fewtaps.twin.world.MosaicJpeg;
import dev.fewtaps.twin.world.SmallFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;

/**
 * A file on a furnished phone, with what the media store knows of it.
 *
 * @param id its number in the media store
 * @param path below the shared storage, or below {@code /system} for sounds of the phone itself
 * @param size in pixels, width and height; 0 if it is not for the eye
 */
record PhoneFile(
    long id, String path, String type, byte[] bytes, int[] size, int millis, String[] song) {

  /** When the files were made: 2026-01-01, 12:00 UTC, four days before the phone's clock starts. */
  static final long MADE_MILLIS = 1_767_268_800_000L;

  private static final int[] UNSEEN = {0, 0};
  private static final String[] NO_SONG = {null, null, null};

  /** The shared storage of a furnished phone. */
  static final List<PhoneFile> SHARED =
      List.of(
          picture(1, "DCIM/Camera/IMG_20260101_120000.jpg", 1024, 768, 1, 1),
          picture(2, "DCIM/Camera/IMG_20260101_120130.jpg", 1024, 768, 6, 2),
          picture(3, "DCIM/Camera/IMG_20260102_093015.jpg", 320, 240, 1, 3),
          new PhoneFile(
              4,
              "Pictures/Screenshots/Screenshot_20260103-101112.png",
              "image/png",
              SmallFiles.png(72, 128, 1),
              new int[] {72, 128},
              0,
              NO_SONG),
          picture(5, "Pictures/Ñandú & Søn (1)%20.JPG", 64, 64, 1, 4),
          new PhoneFile(
              6,
              "Movies/VID_20260101_130000.mp4",
              "video/mp4",
              SmallFiles.mp4(5000),
              new int[] {1280, 720},
              5000,
              NO_SONG),
          song(7, "Music/01 First Song.mp3", "First Song", "The Examples", "Sample Album"),
          song(8, "Music/02 Zweites Stück.mp3", "Zweites Stück", "The Examples", "Sample Album"),
          song(9, "Music/untitled", null, null, null),
          document(10, "Documents/report.pdf", "application/pdf", SmallFiles.pdf("A report")),
          document(11, "Documents/notes.txt", "text/plain", text("Milk\nBread\n\nÄpfel\n")),
          document(12, "Documents/empty.txt", "text/plain", new byte[0]),
          document(13, "Download/invoice.pdf", "application/pdf", SmallFiles.pdf("An invoice")),
          document(14, "Download/data.csv", "text/csv", text("name,count\r\n\"a, b\",1\r\nc,\r\n")),
          document(15, "Download/scan", "application/octet-stream", text("no extension")));

  /** The sounds that come with the phone. */
  static final List<PhoneFile> SOUNDS =
      List.of(
          sound(1, "/system/media/audio/ringtones/Bell.ogg", "Bell"),
          sound(2, "/system/media/audio/ringtones/Marimba.ogg", "Marimba"),
          sound(3, "/system/media/audio/notifications/Drop.ogg", "Drop"),
          sound(4, "/system/media/audio/alarms/Morning.ogg", "Morning"));

  private static PhoneFile picture(
      long id, String path, int width, int height, int orientation, int seed) {
    byte[] bytes = MosaicJpeg.make(width, height, orientation, seed);
    return new PhoneFile(id, path, "image/jpeg", bytes, new int[] {width, height}, 0, NO_SONG);
  }

  private static PhoneFile song(long id, String path, String title, String artist, String album) {
    byte[] bytes = SmallFiles.mp3(1, title, artist, album);
    return new PhoneFile(
        id, path, "audio/mpeg", bytes, UNSEEN, 1000, new String[] {title, artist, album});
  }

  private static PhoneFile sound(long id, String path, String title) {
    return new PhoneFile(
        id, path, "audio/ogg", SmallFiles.wav(1), UNSEEN, 1000, new String[] {title, null, null});
  }

  private static PhoneFile document(long id, String path, String type, byte[] bytes) {
    return new PhoneFile(id, path, type, bytes, UNSEEN, 0, NO_SONG);
  }

  private static byte[] text(String value) {
    return value.getBytes(StandardCharsets.UTF_8);
  }

  /** The name without its folders. */
  String name() {
    return path.substring(path.lastIndexOf('/') + 1);
  }

  /**
   * Writes the file below a folder, with its date.
   *
   * <p>Where the host's file names are plain ASCII, a file with another name is left out.
   */
  void write(Path folder) {
    try {
      Path to = folder.resolve(path.startsWith("/") ? path.substring(1) : path);
      Files.createDirectories(to.getParent());
      Files.write(to, bytes);
      Files.setLastModifiedTime(to, FileTime.fromMillis(MADE_MILLIS));
    } catch (InvalidPathException e) {
      return;
    } catch (IOException e) {
      throw new UncheckedIOException("no room for the phone's files", e);
    }
  }
}
