package dev.fewtaps.samples.lab;

import android.graphics.SurfaceTexture;
import android.view.TextureView;
import android.widget.LinearLayout;

/** A view whose pictures come from elsewhere: it says when there is a place for them. */
public final class TextureActivity extends LabActivity implements TextureView.SurfaceTextureListener {
  private TextureView texture;

  @Override
  protected void fill() {
    texture = new TextureView(this);
    texture.setSurfaceTextureListener(this);
    texture.setLayoutParams(new LinearLayout.LayoutParams(200, 100));
    extra(texture);
    button("Wider", () -> texture.setLayoutParams(new LinearLayout.LayoutParams(300, 100)));
    button("Ready", () -> say("available " + texture.isAvailable()));
  }

  @Override
  public void onSurfaceTextureAvailable(SurfaceTexture surface, int width, int height) {
    say("texture of " + width + "x" + height);
  }

  @Override
  public void onSurfaceTextureSizeChanged(SurfaceTexture surface, int width, int height) {
    say("texture now of " + width + "x" + height);
  }

  @Override
  public boolean onSurfaceTextureDestroyed(SurfaceTexture surface) {
    say("texture gone");
    return true;
  }

  @Override
  public void onSurfaceTextureUpdated(SurfaceTexture surface) {}
}
