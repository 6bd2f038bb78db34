package dev.fewtaps.twin.code;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.util.List;
import org.junit.Test;

public class AppPackagesTest {
  private static AppPackages of(
      String manifestPackage, List<String> components, String... classes) {
    return AppPackages.of(new Manifest(manifestPackage, components), List.of(classes));
  }

  @Test
  public void codeBelowTheManifestPackageIsTheApps() {
    AppPackages app = of("a.b", List.of("a.b.Main"), "a.b.Main", "okhttp3.Call", "a.b.c.Deep");
    assertTrue(app.contains("a.b.Main"));
    assertTrue(app.contains("a.b.c.Deep"));
    assertFalse(app.contains("okhttp3.Call"));
    assertFalse(app.contains("a.bc.Other"));
  }

  @Test
  public void generatedClassesAreNotTheApps() {
    AppPackages app = of("a.b", List.of(), "a.b.Main", "a.b.R", "a.b.R$id", "a.b.BuildConfig");
    assertFalse(app.contains("a.b.R"));
    assertFalse(app.contains("a.b.R$id"));
    assertFalse(app.contains("a.b.BuildConfig"));
    assertTrue(app.contains("a.b.Road"));
  }

  @Test
  public void componentsDecideWhereTheManifestPackageHoldsNoCode() {
    AppPackages app =
        of(
            "com.brand.flavour",
            List.of("org.maker.app.ui.Main", "org.maker.app.Sync", "com.google.ads.Activity"),
            "org.maker.app.ui.Main",
            "com.google.ads.Activity",
            "com.brand.flavour.R");
    assertEquals(List.of("org.maker.app"), app.roots());
    assertTrue(app.contains("org.maker.app.data.Store"));
    assertFalse(app.contains("com.google.ads.Activity"));
  }

  @Test
  public void siblingPackagesOfTheSameMakerBelongToTheApp() {
    AppPackages app =
        of(
            "org.maker.app",
            List.of("org.maker.core.Service"),
            "org.maker.app.Main",
            "org.maker.core.Service");
    assertTrue(app.contains("org.maker.core.Service"));
    AppPackages hosted =
        of("com.github.me.app", List.of("com.github.you.Lib"), "com.github.me.app.Main");
    assertFalse(hosted.contains("com.github.you.Lib"));
  }

  @Test
  public void anAppOfALibraryMakerKeepsItsOwnCode() {
    AppPackages app =
        of("com.google.sample", List.of(), "com.google.sample.Main", "com.google.gson.Gson");
    assertTrue(app.contains("com.google.sample.Main"));
    assertFalse(app.contains("com.google.gson.Gson"));
  }
}
