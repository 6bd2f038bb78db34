package dev.fewtaps.twin.inside;

import java.nio.file.Path;
import org.robolectric.util.ReflectionHelpers;
import org.robolectric.util.TempDirectory;

/** Robolectric's folders, of which those that a phone has too are where a phone has them. */
final class PhoneFolders extends TempDirectory {
  private final Path ownData;
  private final Path deviceData;
  private final Path shared;

  /** Makes the folders below {@code base}, but for the app's own data and the shared storage. */
  PhoneFolders(Path base, Path ownData, Path deviceData, Path shared) {
    super("phone");
    this.ownData = ownData;
    this.deviceData = deviceData;
    this.shared = shared;
    Disk.delete(getBasePath());
    ReflectionHelpers.setField(TempDirectory.class, this, "basePath", base);
  }

  @Override
  public Path createIfNotExists(String name) {
    if (name.endsWith("-dataDir")) {
      return ownData;
    }
    if (name.equals("deviceDataDir")) {
      return deviceData;
    }
    return name.startsWith("external-") ? shared : super.createIfNotExists(name);
  }
}
