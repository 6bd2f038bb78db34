package dev.fewtaps.twin.inside;

import static org.robolectric.util.reflector.Reflector.reflector;

import android.graphics.Bitmap;
import android.graphics.Canvas;
import android.graphics.Color;
import android.graphics.Rect;
import android.graphics.SurfaceTexture;
import android.view.TextureView;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.annotation.RealObject;
import org.robolectric.shadows.ShadowTextureView;
import org.robolectric.util.reflector.Accessor;
import org.robolectric.util.reflector.Direct;
import org.robolectric.util.reflector.ForType;

/**
 * Views whose pictures are made elsewhere. On a phone their texture comes to be when the graphics
 * processor first draws them; here, when we do. Pictures of cameras and players stay black.
 */
public final class TextureShadows {
  private TextureShadows() {}

  static Class<?>[] all() {
    return new Class<?>[] {OfTextureView.class};
  }

  @Implements(value = TextureView.class, isInAndroidSdk = false)
  public static class OfTextureView extends ShadowTextureView {
    @RealObject private TextureView view;
    private Bitmap bitmap;

    private RealTextureView real() {
      return reflector(RealTextureView.class, view);
    }

    @Implementation
    protected void draw(Canvas canvas) {
      real().draw(canvas);
      if (view.getWidth() > 0 && view.getHeight() > 0) {
        makeTexture();
        canvas.drawBitmap(bitmap(), null, new Rect(0, 0, view.getWidth(), view.getHeight()), null);
      }
    }

    private void makeTexture() {
      if (view.isAvailable()) {
        return;
      }
      SurfaceTexture texture = new SurfaceTexture(false);
      real().setSurface(texture);
      TextureView.SurfaceTextureListener listener = view.getSurfaceTextureListener();
      if (listener != null) {
        listener.onSurfaceTextureAvailable(texture, view.getWidth(), view.getHeight());
      }
    }

    private synchronized Bitmap bitmap() {
      if (bitmap == null
          || bitmap.getWidth() != view.getWidth()
          || bitmap.getHeight() != view.getHeight()) {
        bitmap = Bitmap.createBitmap(view.getWidth(), view.getHeight(), Bitmap.Config.ARGB_8888);
        bitmap.eraseColor(view.isOpaque() ? Color.BLACK : Color.TRANSPARENT);
      }
      return bitmap;
    }

    @Implementation
    protected Canvas lockCanvas(Rect dirty) {
      return view.isAvailable() ? new Canvas(bitmap()) : null;
    }

    @Implementation
    protected void unlockCanvasAndPost(Canvas canvas) {
      view.postInvalidate();
    }

    @Implementation
    protected Bitmap getBitmap(Bitmap into) {
      if (into != null && view.isAvailable()) {
        new Canvas(into)
            .drawBitmap(bitmap(), null, new Rect(0, 0, into.getWidth(), into.getHeight()), null);
      }
      return into;
    }
  }

  @ForType(TextureView.class)
  interface RealTextureView {
    @Accessor("mSurface")
    void setSurface(SurfaceTexture texture);

    @Direct
    void draw(Canvas canvas);
  }
}
