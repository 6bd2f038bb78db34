package dev.fewtaps.twin.inside;

import static org.robolectric.util.reflector.Reflector.reflector;

import android.content.res.ResourcesImpl;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.annotation.RealObject;
import org.robolectric.res.android.CppAssetManager2.Theme;
import org.robolectric.res.android.Registries;
import org.robolectric.util.ReflectionHelpers;
import org.robolectric.util.reflector.Accessor;
import org.robolectric.util.reflector.Direct;
import org.robolectric.util.reflector.ForType;

/**
 * Themes that take no more room than they need.
 *
 * <p>A theme keeps its values by package, of which there may be 256. Robolectric makes room for all
 * of them in every copy of a theme: 270 KB, kept until a finalizer comes by, where two or three
 * packages are in use. Each activity, dialog and menu copies some.
 */
public final class ThemeShadows {
  private ThemeShadows() {}

  static Class<?>[] all() {
    return new Class<?>[] {OfThemeImpl.class};
  }

  /** A copy forgets what its original does not have. */
  @Implements(value = ResourcesImpl.ThemeImpl.class, isInAndroidSdk = false)
  public static class OfThemeImpl {
    @RealObject private ResourcesImpl.ThemeImpl theme;

    @Implementation
    protected void setTo(ResourcesImpl.ThemeImpl other) {
      reflector(RealThemeImpl.class, theme).setTo(other);
      forgetAbsentPackages(themeOf(theme), themeOf(other));
    }
  }

  /** Takes from a copy the packages that its original does not have. */
  static void forgetAbsentPackages(Theme copy, Theme original) {
    Object[] packages = packagesOf(copy);
    Object[] originals = packagesOf(original);
    for (int index = 0; index < packages.length; index++) {
      if (originals[index] == null) {
        packages[index] = null;
      }
    }
  }

  /** By number, null where there are none. */
  static Object[] packagesOf(Theme theme) {
    return ReflectionHelpers.getField(theme, "packages_");
  }

  private static Theme themeOf(ResourcesImpl.ThemeImpl theme) {
    long number = reflector(RealThemeImpl.class, theme).getNumber();
    return Registries.NATIVE_THEME9_REGISTRY.getNativeObject(number);
  }

  @ForType(ResourcesImpl.ThemeImpl.class)
  interface RealThemeImpl {
    @Direct
    void setTo(ResourcesImpl.ThemeImpl other);

    @Accessor("mTheme")
    long getNumber();
  }
}
