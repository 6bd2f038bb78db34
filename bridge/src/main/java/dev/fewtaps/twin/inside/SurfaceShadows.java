package dev.fewtaps.twin.inside;

import static org.robolectric.util.reflector.Reflector.reflector;

import android.graphics.Bitmap;
import android.graphics.Canvas;
import android.graphics.Color;
import android.graphics.Paint;
import android.graphics.PixelFormat;
import android.graphics.Rect;
import android.media.ImageReader;
import android.opengl.GLSurfaceView;
import android.os.Looper;
import android.view.Surface;
import android.view.SurfaceHolder;
import android.view.SurfaceView;
import android.widget.Magnifier;
import android.widget.VideoView;
import dev.fewtaps.twin.world.World;
import java.util.ArrayList;
import java.util.List;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.annotation.RealObject;
import org.robolectric.shadow.api.Shadow;
import org.robolectric.shadows.ShadowView;
import org.robolectric.util.reflector.Accessor;
import org.robolectric.util.reflector.Direct;
import org.robolectric.util.reflector.ForType;

/** Surfaces that apps draw into by themselves, mostly from a thread of their own, as games do. */
public final class SurfaceShadows {
  private static final long FRAME_MILLIS = 16;

  private SurfaceShadows() {}

  static Class<?>[] all() {
    return new Class<?>[] {
      OfSurfaceView.class, OfGLSurfaceView.class, OfVideoView.class, OfMagnifier.class
    };
  }

  /** A surface is a bitmap: there while its view is to be seen, and shown with it. */
  @Implements(value = SurfaceView.class, isInAndroidSdk = false)
  public static class OfSurfaceView extends ShadowView {
    @RealObject private SurfaceView view;
    private final Holder holder = new Holder(this);

    private RealSurfaceView real() {
      return reflector(RealSurfaceView.class, view);
    }

    /** Says whether the app can draw into it. */
    boolean isDrawable() {
      return true;
    }

    @Implementation
    protected SurfaceHolder getHolder() {
      return holder;
    }

    @Implementation
    protected void updateSurface() {
      boolean wanted =
          isDrawable()
              && view.isAttachedToWindow()
              && real().getRequestedVisible()
              && view.getWidth() > 0
              && view.getHeight() > 0;
      if (wanted) {
        holder.show(view.getWidth(), view.getHeight());
      } else {
        holder.hide();
      }
    }

    @Implementation
    protected void dispatchDraw(Canvas canvas) {
      // The framework makes a hole in its window here, behind which the surface would lie.
      real().dispatchDraw(canvas);
      holder.drawOn(canvas, view.getWidth(), view.getHeight());
    }

    void changed() {
      view.postInvalidate();
    }

    void sizeAsked() {
      view.post(
          () -> {
            view.requestLayout();
            updateSurface();
          });
    }

    void keepScreenOn(boolean on) {
      view.post(() -> view.setKeepScreenOn(on));
    }
  }

  @ForType(SurfaceView.class)
  interface RealSurfaceView {
    @Accessor("mRequestedVisible")
    boolean getRequestedVisible();

    @Direct
    void dispatchDraw(Canvas canvas);
  }

  /** There is no graphics processor: such a surface never comes to be. */
  @Implements(value = GLSurfaceView.class, isInAndroidSdk = false)
  public static class OfGLSurfaceView extends OfSurfaceView {
    @Override
    boolean isDrawable() {
      return false;
    }

    @Implementation
    protected void setRenderer(GLSurfaceView.Renderer renderer) {
      Device.current().notes().say("OpenGL cannot run: " + renderer.getClass().getName());
    }

    @Implementation
    protected void onAttachedToWindow() {}

    @Implementation
    protected void onDetachedFromWindow() {}

    @Implementation
    protected void onPause() {}

    @Implementation
    protected void onResume() {}

    @Implementation
    protected void requestRender() {}

    @Implementation
    protected void setRenderMode(int mode) {}

    @Implementation
    protected int getRenderMode() {
      return GLSurfaceView.RENDERMODE_CONTINUOUSLY;
    }

    @Implementation
    protected void queueEvent(Runnable event) {}

    @Implementation
    protected void surfaceCreated(SurfaceHolder holder) {}

    @Implementation
    protected void surfaceChanged(SurfaceHolder holder, int format, int width, int height) {}

    @Implementation
    protected void surfaceDestroyed(SurfaceHolder holder) {}
  }

  /** The framework's own video view, on a player that shows nothing. */
  @Implements(value = VideoView.class, isInAndroidSdk = false)
  public static class OfVideoView extends OfSurfaceView {}

  /** The loupe over a cursor that is dragged: a surface of its own, which no app can see into. */
  @Implements(value = Magnifier.class, isInAndroidSdk = false)
  public static class OfMagnifier {
    @Implementation
    protected void show(float x, float y) {}

    @Implementation(minSdk = 29)
    protected void show(float x, float y, float left, float top) {}

    @Implementation
    protected void update() {}

    @Implementation
    protected void dismiss() {}
  }

  /** The app's handle of a surface. */
  private static final class Holder implements SurfaceHolder {
    private final OfSurfaceView owner;
    private final List<Callback> callbacks = new ArrayList<>();
    private final Rect frame = new Rect();
    private Bitmap bitmap;
    private ImageReader reader;
    private boolean creating;
    private int fixedWidth = -1;
    private int fixedHeight = -1;
    private int format = PixelFormat.RGB_565;

    Holder(OfSurfaceView owner) {
      this.owner = owner;
    }

    /** Makes the surface, or changes its size, and tells the app so. */
    void show(int viewWidth, int viewHeight) {
      int width = fixedWidth > 0 ? fixedWidth : viewWidth;
      int height = fixedHeight > 0 ? fixedHeight : viewHeight;
      boolean created = bitmap == null;
      if (!created && bitmap.getWidth() == width && bitmap.getHeight() == height) {
        return;
      }
      synchronized (this) {
        bitmap = Bitmap.createBitmap(width, height, Bitmap.Config.ARGB_8888);
        bitmap.eraseColor(Color.BLACK);
        frame.set(0, 0, width, height);
      }
      List<Callback> told = snapshot();
      creating = created;
      try {
        if (created) {
          told.forEach(callback -> callback.surfaceCreated(this));
        }
        told.forEach(callback -> callback.surfaceChanged(this, format, width, height));
      } finally {
        creating = false;
      }
      for (Callback callback : told) {
        if (callback instanceof Callback2) {
          ((Callback2) callback).surfaceRedrawNeeded(this);
        }
      }
    }

    /** Takes the surface away, after the app has been told. */
    void hide() {
      if (bitmap == null) {
        return;
      }
      snapshot().forEach(callback -> callback.surfaceDestroyed(this));
      synchronized (this) {
        bitmap = null;
        frame.setEmpty();
      }
      if (reader != null) {
        reader.close();
        reader = null;
      }
    }

    synchronized void drawOn(Canvas canvas, int width, int height) {
      Rect place = new Rect(0, 0, width, height);
      if (bitmap != null) {
        canvas.drawBitmap(bitmap, null, place, null);
      } else {
        Paint black = new Paint();
        black.setColor(Color.BLACK);
        canvas.drawRect(place, black);
      }
    }

    private List<Callback> snapshot() {
      synchronized (callbacks) {
        return new ArrayList<>(callbacks);
      }
    }

    @Override
    public void addCallback(Callback callback) {
      synchronized (callbacks) {
        if (!callbacks.contains(callback)) {
          callbacks.add(callback);
        }
      }
    }

    @Override
    public void removeCallback(Callback callback) {
      synchronized (callbacks) {
        callbacks.remove(callback);
      }
    }

    @Override
    public boolean isCreating() {
      return creating;
    }

    @Override
    public void setType(int type) {}

    @Override
    public void setFixedSize(int width, int height) {
      if (width != fixedWidth || height != fixedHeight) {
        fixedWidth = width;
        fixedHeight = height;
        owner.sizeAsked();
      }
    }

    @Override
    public void setSizeFromLayout() {
      setFixedSize(-1, -1);
    }

    @Override
    public void setFormat(int asked) {
      format = asked == PixelFormat.OPAQUE ? PixelFormat.RGB_565 : asked;
    }

    @Override
    public void setKeepScreenOn(boolean on) {
      owner.keepScreenOn(on);
    }

    @Override
    public Canvas lockCanvas() {
      return lockCanvas(null);
    }

    /** Takes as long as a frame does, so that a thread that draws without rest lets others run. */
    @Override
    public Canvas lockCanvas(Rect dirty) {
      World world = World.current();
      if (world != null && Looper.myLooper() != Looper.getMainLooper()) {
        world.blockUntil(() -> false, world.uptimeMillis() + FRAME_MILLIS);
      }
      synchronized (this) {
        return bitmap == null ? null : new Canvas(bitmap);
      }
    }

    @Override
    public Canvas lockHardwareCanvas() {
      return lockCanvas(null);
    }

    @Override
    public void unlockCanvasAndPost(Canvas canvas) {
      owner.changed();
    }

    @Override
    public Rect getSurfaceFrame() {
      return new Rect(frame);
    }

    /** For apps that only test whether it is there, or hand it on to a camera or player. */
    @Override
    public Surface getSurface() {
      if (bitmap == null) {
        return Shadow.newInstanceOf(Surface.class);
      }
      if (reader == null) {
        reader =
            ImageReader.newInstance(
                bitmap.getWidth(), bitmap.getHeight(), PixelFormat.RGBA_8888, 2);
      }
      return reader.getSurface();
    }
  }
}
