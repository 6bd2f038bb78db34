package dev.fewtaps.twin.inside;

import android.os.Environment;
import dev.fewtaps.twin.world.Settings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.shadows.ShadowEnvironment;
import org.robolectric.util.ReflectionHelpers;
import org.robolectric.util.TempDirectory;

/** The phone's storage: one folder, always of the same name, emptied before each run. */
final class Disk {
  private final Path folder;

  private Disk(Path folder) {
    this.folder = folder;
  }

  /** Empties the storage of the run before. */
  static Disk fresh(dev.fewtaps.twin.inside.Settings settings) {
    Path folder = settings.data.resolve("phone");
    delete(folder);
    try {
      Files.createDirectories(folder.resolve(EXTERNAL));
      // An installer makes it, and it is where the app's temporary files go.
      Files.createDirectories(cache(folder, settings));
    } catch (IOException e) {
      throw new UncheckedIOException("no room for the app's files", e);
    }
    return new Disk(folder);
  }

  /** Robolectric's name for shared storage. */
  private static final String EXTERNAL = "external-cache";

  /** The world's settings that let the app at its own files only. */
  Settings worldSettings(dev.fewtaps.twin.inside.Settings settings) {
    String name = settings.manifest().packageName;
    return Settings.defaults()
        .withNetwork(settings.network)
        .withPackage(name)
        .withLocale(settings.locale, settings.timeZone)
        .withReadable(List.of(settings.apk.toString()))
        .withFolders(
            folder.toString(),
            folder.resolve(EXTERNAL).toString(),
            cache(folder, settings).toString());
  }

  private static Path cache(Path folder, dev.fewtaps.twin.inside.Settings settings) {
    return folder.resolve(settings.manifest().packageName + "-dataDir").resolve("cache");
  }

  /** Makes Robolectric keep everything here, instead of in a folder with a new name each time. */
  void mount() {
    TempDirectory given = RuntimeEnvironment.getTempDirectory();
    delete(given.getBasePath());
    ReflectionHelpers.setField(given, "basePath", folder);
    ShadowEnvironment.setExternalStorageState(Environment.MEDIA_MOUNTED);
    // Pictures, music and the app's own shared files lie in one storage, as on a phone.
    ShadowEnvironment.setExternalStoragePublicDirectory(folder.resolve(EXTERNAL));
  }

  private static void delete(Path folder) {
    if (!Files.exists(folder)) {
      return;
    }
    try {
      Files.walkFileTree(
          folder,
          new SimpleFileVisitor<Path>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                throws IOException {
              Files.delete(file);
              return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path directory, IOException e)
                throws IOException {
              Files.delete(directory);
              return FileVisitResult.CONTINUE;
            }
          });
    } catch (IOException e) {
      throw new UncheckedIOException("the files of the run before cannot be deleted", e);
    }
  }
}
