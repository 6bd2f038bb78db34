package dev.fewtaps.samples.gadgets;

import android.content.Context;
import android.graphics.Bitmap;
import android.graphics.BitmapFactory;
import android.graphics.ImageFormat;
import android.hardware.camera2.CameraAccessException;
import android.hardware.camera2.CameraCaptureSession;
import android.hardware.camera2.CameraDevice;
import android.hardware.camera2.CameraManager;
import android.hardware.camera2.CaptureRequest;
import android.hardware.camera2.CaptureResult;
import android.hardware.camera2.TotalCaptureResult;
import android.media.Image;
import android.media.ImageReader;
import java.nio.ByteBuffer;
import java.util.Collections;

/** Takes a picture with the camera of Android 5 and later. */
public final class NewCameraActivity extends Gadget {
  private CameraDevice camera;
  private ImageReader reader;

  @Override
  void fill() {
    button("Open", this::open);
    button("Take", this::take);
  }

  private void open() {
    CameraManager manager = (CameraManager) getSystemService(Context.CAMERA_SERVICE);
    try {
      manager.openCamera(
          manager.getCameraIdList()[0],
          new CameraDevice.StateCallback() {
            @Override
            public void onOpened(CameraDevice device) {
              camera = device;
              say("opened " + device.getId());
            }

            @Override
            public void onDisconnected(CameraDevice device) {}

            @Override
            public void onError(CameraDevice device, int error) {}
          },
          null);
    } catch (CameraAccessException e) {
      say("no camera");
    }
  }

  private void take() {
    reader = ImageReader.newInstance(640, 480, ImageFormat.JPEG, 1);
    reader.setOnImageAvailableListener(from -> taken(from.acquireLatestImage()), null);
    try {
      camera.createCaptureSession( // It may not be open yet.
          Collections.singletonList(reader.getSurface()),
          new CameraCaptureSession.StateCallback() {
            @Override
            public void onConfigured(CameraCaptureSession session) {
              capture(session);
            }

            @Override
            public void onConfigureFailed(CameraCaptureSession session) {}
          },
          null);
    } catch (CameraAccessException e) {
      say("no session");
    }
  }

  private void capture(CameraCaptureSession session) {
    try {
      CaptureRequest.Builder request =
          camera.createCaptureRequest(CameraDevice.TEMPLATE_STILL_CAPTURE);
      request.addTarget(reader.getSurface());
      session.capture(
          request.build(),
          new CameraCaptureSession.CaptureCallback() {
            @Override
            public void onCaptureCompleted(
                CameraCaptureSession from, CaptureRequest asked, TotalCaptureResult result) {
              say("captured " + result.get(CaptureResult.CONTROL_AE_STATE));
            }
          },
          null);
    } catch (CameraAccessException e) {
      say("no picture");
    }
  }

  private void taken(Image image) {
    ByteBuffer buffer = image.getPlanes()[0].getBuffer();
    byte[] data = new byte[buffer.remaining()];
    buffer.get(data);
    image.close();
    Bitmap picture = BitmapFactory.decodeByteArray(data, 0, data.length);
    say("picture " + picture.getWidth() + "x" + picture.getHeight());
  }
}
