package org.robolectric.shadows;

import android.hardware.display.DisplayManagerGlobal;
import android.view.DisplayInfo;
import java.util.function.BooleanSupplier;

/**
 * Gives the screen the status and navigation bars of a device profile; Robolectric keeps the means
 * to itself.
 */
public final class TwinSystemBars {
  private static volatile BooleanSupplier fullScreen = () -> false;

  private TwinSystemBars() {}

  /** Tells whether the app in front hides the status bar; called whenever a window is laid out. */
  public static void askWhetherFullScreen(BooleanSupplier question) {
    fullScreen = question;
  }

  /** The height in pixels of the status bar as it is now, zero if it is hidden. */
  public static int statusBarHeight() {
    SystemUi.StatusBar bar = SystemUi.systemUiForDefaultDisplay().getStatusBar();
    return bar.isVisible() ? bar.getSize() : 0;
  }

  /** Sets the height of both bars in dp; zero means that there is none. */
  public static void install(int statusBarDp, int navigationBarDp) {
    SystemUi ui = SystemUi.systemUiForDefaultDisplay();
    ui.setStatusBarBehavior(new Bar(SystemUi.SystemBar.Side.TOP, statusBarDp));
    ui.setNavigationBarBehavior(new Bar(SystemUi.SystemBar.Side.BOTTOM, navigationBarDp));
  }

  private static final class Bar
      implements SystemUi.StatusBarBehavior, SystemUi.NavigationBarBehavior {
    private final SystemUi.SystemBar.Side side;
    private final int heightDp;

    Bar(SystemUi.SystemBar.Side side, int heightDp) {
      this.side = side;
      this.heightDp = heightDp;
    }

    @Override
    public SystemUi.SystemBar.Side calculateSide(int displayId) {
      return side;
    }

    @Override
    public int calculateSize(int displayId) {
      if (side == SystemUi.SystemBar.Side.TOP && fullScreen.getAsBoolean()) {
        return 0;
      }
      DisplayInfo info = DisplayManagerGlobal.getInstance().getDisplayInfo(displayId);
      return Math.round(heightDp * info.logicalDensityDpi / 160f);
    }
  }
}
