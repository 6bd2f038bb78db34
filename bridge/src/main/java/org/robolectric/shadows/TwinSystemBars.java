package org.robolectric.shadows;

import android.hardware.display.DisplayManagerGlobal;
import android.view.DisplayInfo;

/** Gives the screen the status and navigation bars of a device profile; Robolectric keeps the means to itself. */
public final class TwinSystemBars {
  private TwinSystemBars() {}

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
      DisplayInfo info = DisplayManagerGlobal.getInstance().getDisplayInfo(displayId);
      return Math.round(heightDp * info.logicalDensityDpi / 160f);
    }
  }
}
