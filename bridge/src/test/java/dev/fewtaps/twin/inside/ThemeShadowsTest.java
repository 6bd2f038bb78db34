package dev.fewtaps.twin.inside;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.util.Arrays;
import java.util.Objects;
import org.junit.Test;
import org.robolectric.res.android.CppAssetManager2.Theme;

public class ThemeShadowsTest {
  private final Theme original = new Theme(null);
  private final Theme copy = new Theme(null);

  private static long count(Theme theme) {
    return Arrays.stream(ThemeShadows.packagesOf(theme)).filter(Objects::nonNull).count();
  }

  @Test
  public void aCopyHasNoMorePackagesThanItsOriginal() {
    copy.SetTo(original);
    assertTrue("the copy of a theme has become smaller without our help", count(copy) > 200);
    ThemeShadows.forgetAbsentPackages(copy, original);
    assertEquals(0, count(copy));
  }

  @Test
  public void aCopyKeepsThePackagesOfItsOriginal() {
    Theme full = new Theme(null);
    full.SetTo(original);
    Object[] packages = ThemeShadows.packagesOf(full);
    Arrays.fill(packages, 2, packages.length, null);
    copy.SetTo(full);
    ThemeShadows.forgetAbsentPackages(copy, full);
    assertEquals(2, count(copy));
  }
}
