package dev.fewtaps.twin.inside;

import static org.robolectric.util.reflector.Reflector.reflector;

import android.content.Context;
import android.content.Intent;
import android.content.res.Resources;
import android.net.Uri;
import android.provider.Browser;
import android.text.style.URLSpan;
import android.view.View;
import com.android.internal.view.ActionBarPolicy;
import java.util.HashMap;
import java.util.Map;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.annotation.RealObject;
import org.robolectric.util.reflector.Direct;
import org.robolectric.util.reflector.ForType;

/**
 * The differences that an app sees on a phone with Android 4. Its own theme was Holo, which is
 * still in the framework: what an app takes from {@code DeviceDefault}, or gets without asking, is
 * drawn with it. Such phones had a Menu key instead of the three dots, and a link that no app can
 * open threw.
 */
final class AndroidFour {
  private static final Map<Integer, Integer> HOLO = new HashMap<>();

  private AndroidFour() {}

  static Class<?>[] all() {
    return new Class<?>[] {OfTheme.class, OfActionBarPolicy.class, OfURLSpan.class};
  }

  private static boolean wanted() {
    Device device = Device.current();
    return device != null && device.settings().android.startsWith("4.");
  }

  /** The style an Android 4 phone has in the place of one of the framework's. */
  private static synchronized int holo(int style) {
    return HOLO.computeIfAbsent(style, AndroidFour::findHolo);
  }

  private static int findHolo(int style) {
    boolean ofFramework = style >>> 24 == 1;
    String name = ofFramework ? Resources.getSystem().getResourceEntryName(style) : "";
    if (!name.contains("DeviceDefault")) {
      return style;
    }
    String old = name.replace("DeviceDefault", "Holo");
    int found = Resources.getSystem().getIdentifier(old, "style", "android");
    return found == 0 ? style : found;
  }

  /** Every theme is made of styles, laid over each other one by one. */
  @Implements(value = Resources.Theme.class, isInAndroidSdk = false)
  public static class OfTheme {
    @RealObject Resources.Theme theme;

    @Implementation
    protected void applyStyle(int style, boolean force) {
      reflector(RealTheme.class, theme).applyStyle(wanted() ? holo(style) : style, force);
    }
  }

  @ForType(Resources.Theme.class)
  interface RealTheme {
    @Direct
    void applyStyle(int style, boolean force);
  }

  @Implements(value = ActionBarPolicy.class, isInAndroidSdk = false)
  public static class OfActionBarPolicy {
    @RealObject ActionBarPolicy policy;

    @Implementation
    protected boolean showsOverflowMenuButton() {
      return !wanted() && reflector(RealPolicy.class, policy).showsOverflowMenuButton();
    }
  }

  @ForType(ActionBarPolicy.class)
  interface RealPolicy {
    @Direct
    boolean showsOverflowMenuButton();
  }

  @Implements(value = URLSpan.class, isInAndroidSdk = false)
  public static class OfURLSpan {
    @RealObject URLSpan span;

    @Implementation
    protected void onClick(View widget) {
      if (!wanted()) {
        reflector(RealSpan.class, span).onClick(widget);
        return;
      }
      Context context = widget.getContext();
      Intent intent = new Intent(Intent.ACTION_VIEW, Uri.parse(span.getURL()));
      intent.putExtra(Browser.EXTRA_APPLICATION_ID, context.getPackageName());
      context.startActivity(intent);
    }
  }

  @ForType(URLSpan.class)
  interface RealSpan {
    @Direct
    void onClick(View widget);
  }
}
