package dev.fewtaps.twin.inside;

import android.content.pm.FeatureInfo;
import android.content.pm.PackageParser;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/** Shared libraries and kinds of device that an app can ask for in its manifest. */
final class Libraries {
  private static final Set<String> PRESENT =
      Set.of(
          "android.ext.shared",
          "android.hidl.base-V1.0-java",
          "android.hidl.manager-V1.0-java",
          "android.test.base",
          "android.test.mock",
          "android.test.runner",
          "com.android.location.provider",
          "javax.obex",
          "org.apache.http.legacy");

  /** Features of devices that are no phones. */
  private static final Set<String> OTHER_DEVICES =
      Set.of(
          "android.hardware.type.automotive",
          "android.hardware.type.embedded",
          "android.hardware.type.television",
          "android.hardware.type.watch",
          "android.software.leanback");

  private Libraries() {}

  /** Those that the app cannot do without and that are not there. */
  static SortedSet<String> lacking(PackageParser.Package manifest) {
    SortedSet<String> names = new TreeSet<>();
    if (manifest.usesLibraries != null) {
      names.addAll(manifest.usesLibraries);
    }
    names.removeAll(PRESENT);
    if (manifest.reqFeatures != null) {
      for (FeatureInfo feature : manifest.reqFeatures) {
        // One that asks for a version of OpenGL has no name.
        boolean required = (feature.flags & FeatureInfo.FLAG_REQUIRED) != 0 && feature.name != null;
        if (required && OTHER_DEVICES.contains(feature.name)) {
          names.add(feature.name);
        }
      }
    }
    return names;
  }
}
