package dev.fewtaps.samples.gadgets;

import android.graphics.Bitmap;
import android.graphics.BitmapFactory;
import android.hardware.Camera;

/** Takes a picture with the camera of Android 4. */
@SuppressWarnings("deprecation")
public final class CameraActivity extends Gadget {
  private Camera camera;

  @Override
  void fill() {
    button("Take", this::take);
    button("Once more", this::again);
    button("Look", this::look);
  }

  private void take() {
    if (camera == null) {
      camera = Camera.open();
    }
    Camera.Parameters wanted = camera.getParameters();
    wanted.setPictureSize(640, 480);
    camera.setParameters(wanted);
    camera.startPreview();
    camera.takePicture(null, null, (data, from) -> taken(data));
  }

  private void taken(byte[] data) {
    Bitmap picture = BitmapFactory.decodeByteArray(data, 0, data.length);
    say("picture " + picture.getWidth() + "x" + picture.getHeight());
    camera.release();
  }

  private void again() {
    if (camera != null) {
      camera.startPreview(); // It was given back.
    }
  }

  private void look() {
    Camera front = Camera.open(1);
    front.setOneShotPreviewCallback(
        (data, from) -> {
          say("frame " + data.length);
          from.release();
        });
    front.startPreview();
  }
}
