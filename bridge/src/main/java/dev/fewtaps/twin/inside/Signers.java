package dev.fewtaps.twin.inside;

import android.app.Application;
import android.content.pm.PackageInfo;
import android.content.pm.Signature;
import android.content.pm.SigningInfo;
import android.os.Build;
import dev.fewtaps.twin.code.ApkSigners;
import org.robolectric.Shadows;
import org.robolectric.shadow.api.Shadow;

/** Tells an app its signer, as the package manager of a phone does. */
final class Signers {
  private Signers() {}

  static void install(Settings settings, Application application) {
    Signature[] signatures =
        ApkSigners.certificates(settings.apk).stream()
            .map(Signature::new)
            .toArray(Signature[]::new);
    PackageInfo info =
        Shadows.shadowOf(application.getPackageManager())
            .getInternalMutablePackageInfo(application.getPackageName());
    if (info == null || signatures.length == 0) {
      return;
    }
    info.signatures = signatures;
    if (Build.VERSION.SDK_INT >= Build.VERSION_CODES.P) {
      SigningInfo signing = Shadow.newInstanceOf(SigningInfo.class);
      Shadows.shadowOf(signing).setSignatures(signatures);
      info.signingInfo = signing;
    }
  }
}
