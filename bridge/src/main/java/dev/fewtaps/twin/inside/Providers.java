package dev.fewtaps.twin.inside;

import android.app.Application;
import android.content.ContentProvider;
import android.content.pm.PackageParser;
import android.content.pm.ProviderInfo;
import java.util.ArrayList;
import java.util.List;
import org.robolectric.shadows.ShadowContentResolver;

/** Makes the app's content providers, which a phone does before the application's onCreate. */
final class Providers {
  private Providers() {}

  static void install(Device device, Application application) {
    List<ProviderInfo> infos = new ArrayList<>();
    for (PackageParser.Provider provider : device.manifest().providers) {
      ProviderInfo info = new ProviderInfo(provider.info);
      if (info.enabled && info.authority != null) {
        info.applicationInfo = application.getApplicationInfo();
        infos.add(info);
      }
    }
    infos.sort((a, b) -> Integer.compare(b.initOrder, a.initOrder));
    for (ProviderInfo info : infos) {
      install(device, application, info);
    }
  }

  private static void install(Device device, Application application, ProviderInfo info) {
    ContentProvider provider =
        Unable.to(
            "get provider " + info.name,
            () -> device.appFactory().instantiateProvider(device.loader(), info.name));
    for (String authority : info.authority.split(";")) {
      ShadowContentResolver.registerProviderInternal(authority, provider);
    }
    Unable.to("get provider " + info.name, () -> provider.attachInfo(application, info));
  }
}
