package dev.fewtaps.twin.inside;

import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import org.robolectric.manifest.AndroidManifest;
import org.robolectric.manifest.BroadcastReceiverData;

/**
 * The manifest as Robolectric may see it: it must not look for the app's own classes, which are not
 * in its class loader, so the application and the receivers are left to us.
 */
final class TwinManifest extends AndroidManifest {
  private final int targetSdk;

  TwinManifest(Path apk, int targetSdk) {
    super(null, null, null, null, "", apk);
    this.targetSdk = targetSdk;
  }

  @Override
  public String getApplicationName() {
    return StandIn.class.getName();
  }

  @Override
  public String getAppComponentFactory() {
    return TwinComponentFactory.class.getName();
  }

  @Override
  public List<BroadcastReceiverData> getBroadcastReceivers() {
    return Collections.emptyList();
  }

  @Override
  public int getTargetSdkVersion() {
    return targetSdk;
  }

  /**
   * The application class that Robolectric creates; {@link TwinComponentFactory} makes the real
   * one.
   */
  public static final class StandIn extends android.app.Application {}
}
