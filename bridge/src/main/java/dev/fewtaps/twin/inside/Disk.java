package dev.fewtaps.twin.inside;

import android.os.Environment;
import dev.fewtaps.twin.world.Settings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.shadows.ShadowEnvironment;

/**
 * The phone's storage: one folder, always of the same name, emptied before each run.
 *
 * <p>The app's data and the shared storage have the paths of a phone below it. In the jail links
 * lead there from the root, so that the paths are those of a phone.
 */
final class Disk {
  private static final Path OWN_DATA = Paths.get("data/user/0");
  private static final Path DEVICE_DATA = Paths.get("data/user_de/0");
  private static final Path SHARED = Paths.get("storage/emulated/0");

  private final Path folder;
  private final Path visible;
  private final String packageName;

  private Disk(Path folder, String packageName) {
    this.folder = folder;
    this.visible = visibleRoot(folder);
    this.packageName = packageName;
  }

  /** Empties the storage of the run before. */
  static Disk fresh(dev.fewtaps.twin.inside.Settings settings) {
    Path folder = settings.data.resolve("phone");
    delete(folder);
    Disk disk = new Disk(folder, settings.manifest().packageName);
    try {
      Files.createDirectories(folder.resolve(SHARED));
      Files.createDirectories(folder.resolve(DEVICE_DATA).resolve(disk.packageName));
      // An installer makes it, and it is where the app's temporary files go.
      Files.createDirectories(disk.ownData(folder).resolve("cache"));
      if (settings.isFurnished) {
        PhoneFile.SHARED.forEach(file -> file.write(folder.resolve(SHARED)));
      }
    } catch (IOException e) {
      throw new UncheckedIOException("no room for the app's files", e);
    }
    Texts.setRoot(disk.visible);
    return disk;
  }

  /** Returns the root if links in it lead to the storage, as they do in the jail. */
  private static Path visibleRoot(Path folder) {
    Path link = Paths.get("/data/user");
    try {
      boolean leadsHere =
          Files.isSymbolicLink(link)
              && Files.readSymbolicLink(link).equals(folder.resolve("data/user"));
      return leadsHere ? Paths.get("/") : folder;
    } catch (IOException e) {
      return folder;
    }
  }

  private Path ownData(Path root) {
    return root.resolve(OWN_DATA).resolve(packageName);
  }

  /** The world's settings that let the app at its own files only. */
  Settings worldSettings(dev.fewtaps.twin.inside.Settings settings) {
    return Settings.defaults()
        .withNetwork(settings.network)
        .withPackage(packageName)
        .withLocale(settings.locale, settings.timeZone)
        .withEpoch(settings.epochMillis)
        .withReadable(List.of(settings.apk.toString(), settings.data.resolve("splits").toString()))
        .withFolders(
            ownData(folder).toString(),
            folder.resolve(SHARED).toString(),
            ownData(visible).resolve("cache").toString());
  }

  /** Makes Robolectric keep everything here, instead of in a folder with a new name each time. */
  void mount() {
    delete(RuntimeEnvironment.getTempDirectory().getBasePath());
    RuntimeEnvironment.setTempDirectory(
        new PhoneFolders(
            folder,
            ownData(visible),
            visible.resolve(DEVICE_DATA).resolve(packageName),
            visible.resolve(SHARED)));
    ShadowEnvironment.setExternalStorageState(Environment.MEDIA_MOUNTED);
    // Pictures, music and the app's own shared files lie in one storage, as on a phone.
    ShadowEnvironment.setExternalStoragePublicDirectory(visible.resolve(SHARED));
  }

  static void delete(Path folder) {
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
