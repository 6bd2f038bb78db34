package dev.fewtaps.twin.inside;

import android.graphics.Bitmap;
import android.graphics.Canvas;
import android.graphics.Color;
import android.graphics.Paint;
import android.graphics.PorterDuff;
import android.text.Layout;
import android.text.StaticLayout;
import android.text.TextPaint;
import android.view.View;
import android.view.WindowManager;
import java.io.IOException;
import java.util.List;
import org.robolectric.shadows.TwinSystemBars;

/** Draws all windows into one picture, lowest first, as a screen would show them. */
final class Picture {
  private static final int STATUS_BAR = Color.rgb(0x30, 0x30, 0x30);
  private static final int TOAST = Color.argb(0xd0, 0x40, 0x40, 0x40);

  private Picture() {}

  static byte[] png(Device device) throws IOException {
    Windows windows = device.windows();
    Bitmap bitmap = Bitmap.createBitmap(windows.width(), windows.height(), Bitmap.Config.ARGB_8888);
    Canvas canvas = new Canvas(bitmap);
    canvas.drawColor(Color.BLACK);
    List<Windows.Window> shown = windows.shown();
    for (int i = shown.size() - 1; i >= 0; i--) {
      draw(shown.get(i), canvas);
    }
    // Views of cameras and films leave holes; behind all windows a screen is black.
    canvas.drawColor(Color.BLACK, PorterDuff.Mode.DST_OVER);
    drawStatusBar(windows.width(), canvas);
    for (Toasts.Shown toast : device.toasts().visible()) {
      drawToast(toast, windows, canvas, device.settings().dpi / 160f);
    }
    byte[] png = PngWriter.write(bitmap);
    bitmap.recycle();
    return png;
  }

  private static void draw(Windows.Window window, Canvas canvas) {
    if (window.has(WindowManager.LayoutParams.FLAG_DIM_BEHIND)) {
      canvas.drawColor(Color.argb(Math.round(255 * window.params.dimAmount), 0, 0, 0));
    }
    int saved = canvas.save();
    canvas.translate(window.left, window.top);
    View view = window.view;
    canvas.clipRect(0, 0, view.getWidth(), view.getHeight());
    try {
      view.draw(canvas);
    } catch (ClassCastException e) {
      // A layer that can only be recorded is missing in the picture; the app has drawn it before.
    } finally {
      canvas.restoreToCount(saved);
    }
  }

  private static void drawStatusBar(int width, Canvas canvas) {
    Paint paint = new Paint();
    paint.setColor(STATUS_BAR);
    canvas.drawRect(0, 0, width, TwinSystemBars.statusBarHeight(), paint);
  }

  private static void drawToast(Toasts.Shown toast, Windows windows, Canvas canvas, float density) {
    TextPaint paint = new TextPaint(Paint.ANTI_ALIAS_FLAG);
    paint.setTextSize(14 * density);
    int limit = Math.round(windows.width() * 0.8f);
    StaticLayout text =
        StaticLayout.Builder.obtain(toast.text, 0, toast.text.length(), paint, limit)
            .setAlignment(Layout.Alignment.ALIGN_CENTER)
            .build();
    float width = 0;
    for (int i = 0; i < text.getLineCount(); i++) {
      width = Math.max(width, text.getLineWidth(i));
    }
    float centre = windows.width() / 2f;
    float bottom = windows.height() * 0.87f;
    float top = bottom - text.getHeight() - 20 * density;
    paint.setColor(TOAST);
    canvas.drawRoundRect(
        centre - width / 2 - 16 * density,
        top,
        centre + width / 2 + 16 * density,
        bottom,
        18 * density,
        18 * density,
        paint);
    paint.setColor(Color.WHITE);
    canvas.save();
    canvas.translate(centre - limit / 2f, top + 10 * density);
    text.draw(canvas);
    canvas.restore();
  }
}
