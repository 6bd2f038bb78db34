package dev.fewtaps.twin.inside;

import static org.robolectric.util.reflector.Reflector.reflector;

import android.content.pm.PackageManager;
import android.graphics.SurfaceTexture;
import android.hardware.Camera;
import android.hardware.camera2.CameraAccessException;
import android.hardware.camera2.CameraCaptureSession;
import android.hardware.camera2.CameraCaptureSession.CaptureCallback;
import android.hardware.camera2.CameraDevice;
import android.hardware.camera2.CameraManager;
import android.hardware.camera2.CaptureRequest;
import android.hardware.camera2.CaptureResult;
import android.hardware.camera2.TotalCaptureResult;
import android.hardware.camera2.impl.CameraCaptureSessionImpl;
import android.hardware.camera2.impl.CameraDeviceImpl;
import android.os.Build;
import android.os.Handler;
import android.os.Looper;
import android.os.SystemClock;
import android.view.Surface;
import android.view.SurfaceHolder;
import dev.fewtaps.twin.world.MosaicJpeg;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executor;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.annotation.RealObject;
import org.robolectric.shadow.api.Shadow;
import org.robolectric.shadows.ShadowCamera;
import org.robolectric.shadows.ShadowCameraCaptureSessionImpl;
import org.robolectric.shadows.ShadowCameraDeviceImpl;
import org.robolectric.shadows.ShadowCameraManager;
import org.robolectric.shadows.ShadowCaptureResult;
import org.robolectric.shadows.ShadowTotalCaptureResult;
import org.robolectric.util.ReflectionHelpers;
import org.robolectric.util.ReflectionHelpers.ClassParameter;
import org.robolectric.util.reflector.Direct;
import org.robolectric.util.reflector.ForType;

/** Cameras that take a picture, in both interfaces; what they see while they look stays black. */
public final class CameraShadows {
  private static final long SHUTTER_MILLIS = 100;
  private static final long FRAME_MILLIS = 100;

  private static final List<Camera> OPENED = new ArrayList<>();
  private static int pictures;

  private CameraShadows() {}

  static Class<?>[] all() {
    return new Class<?>[] {
      OfCamera.class, OfCameraDevice.class, OfCameraManager.class, OfCaptureSession.class
    };
  }

  /** Forgets the cameras that another process had opened. */
  static synchronized void forget() {
    OPENED.clear();
    pictures = 0;
  }

  static synchronized byte[] picture(int width, int height) {
    return MosaicJpeg.make(width, height, 1, 20 + pictures++ % 7);
  }

  /** The old camera: its rules of order are those of a phone. */
  @Implements(value = Camera.class, isInAndroidSdk = false)
  public static class OfCamera extends ShadowCamera {
    @RealObject private Camera camera;
    private final Deque<byte[]> buffers = new ArrayDeque<>();
    private Looper looper;
    private int number;
    private Camera.PreviewCallback frames;
    private boolean isOneShot;
    private boolean usesBuffers;
    private boolean isPreviewing;
    private boolean isReleased;
    private int preview;

    @Implementation
    protected static Camera open() {
      return open(0);
    }

    @Implementation
    protected static Camera open(int number) {
      boolean isAllowed =
          RuntimeEnvironment.getApplication().checkSelfPermission("android.permission.CAMERA")
              == PackageManager.PERMISSION_GRANTED;
      synchronized (CameraShadows.class) {
        for (Camera opened : OPENED) {
          OfCamera other = Shadow.extract(opened);
          isAllowed &= other.number != number;
        }
      }
      if (!isAllowed || number < 0 || number >= getNumberOfCameras()) {
        throw new RuntimeException("Fail to connect to camera service");
      }
      Camera camera = ShadowCamera.open(number);
      OfCamera mine = Shadow.extract(camera);
      mine.number = number;
      mine.looper = Looper.myLooper() != null ? Looper.myLooper() : Looper.getMainLooper();
      synchronized (CameraShadows.class) {
        OPENED.add(camera);
      }
      return camera;
    }

    private void require() {
      if (isReleased) {
        throw new RuntimeException("Camera is being used after Camera.release() was called");
      }
    }

    private void later(Runnable action, long millis) {
      new Handler(looper == null ? Looper.getMainLooper() : looper)
          .postDelayed(
              () -> {
                if (!isReleased) {
                  action.run();
                }
              },
              millis);
    }

    /** A copy: changes count once they are set. */
    @Override
    @Implementation
    protected Camera.Parameters getParameters() {
      require();
      Camera.Parameters copy =
          ReflectionHelpers.callConstructor(
              Camera.Parameters.class, ClassParameter.from(Camera.class, camera));
      copy.unflatten(super.getParameters().flatten());
      return copy;
    }

    @Override
    @Implementation
    protected void setParameters(Camera.Parameters wanted) {
      require();
      Camera.Size picture = wanted.getPictureSize();
      Camera.Size view = wanted.getPreviewSize();
      boolean isPossible =
          wanted.getSupportedPictureSizes().contains(picture)
              && wanted.getSupportedPreviewSizes().contains(view);
      if (!isPossible) {
        throw new RuntimeException("setParameters failed");
      }
      super.getParameters().unflatten(wanted.flatten());
    }

    @Override
    @Implementation
    protected void setPreviewDisplay(SurfaceHolder holder) {
      require();
      super.setPreviewDisplay(holder);
    }

    @Implementation
    protected void setPreviewTexture(SurfaceTexture texture) {
      require();
    }

    @Override
    @Implementation
    protected void setDisplayOrientation(int degrees) {
      require();
    }

    @Override
    @Implementation
    protected void startPreview() {
      require();
      super.startPreview();
      isPreviewing = true;
      int mine = ++preview;
      later(() -> frame(mine), FRAME_MILLIS);
    }

    @Override
    @Implementation
    protected void stopPreview() {
      require();
      super.stopPreview();
      isPreviewing = false;
      preview++;
    }

    /** Shows the app a grey frame, if it wants to see it, and the next one later. */
    private void frame(int mine) {
      if (mine != preview || !isPreviewing || frames == null) {
        return;
      }
      Camera.Size size = super.getParameters().getPreviewSize();
      int bytes = size.width * size.height * 3 / 2;
      byte[] data = usesBuffers ? buffers.poll() : new byte[bytes];
      if (data != null) {
        java.util.Arrays.fill(data, (byte) 0x80);
        Camera.PreviewCallback to = frames;
        if (isOneShot) {
          frames = null;
        }
        to.onPreviewFrame(data, camera);
      }
      later(() -> frame(mine), FRAME_MILLIS);
    }

    private void show(Camera.PreviewCallback to, boolean once, boolean intoBuffers) {
      require();
      frames = to;
      isOneShot = once;
      usesBuffers = intoBuffers;
      if (isPreviewing && to != null) {
        int mine = ++preview;
        later(() -> frame(mine), FRAME_MILLIS);
      }
    }

    @Override
    @Implementation
    protected void setPreviewCallback(Camera.PreviewCallback to) {
      show(to, false, false);
    }

    @Override
    @Implementation
    protected void setOneShotPreviewCallback(Camera.PreviewCallback to) {
      show(to, true, false);
    }

    @Override
    @Implementation
    protected void setPreviewCallbackWithBuffer(Camera.PreviewCallback to) {
      show(to, false, true);
    }

    @Override
    @Implementation
    protected void addCallbackBuffer(byte[] buffer) {
      if (buffer != null) {
        buffers.add(buffer);
      }
    }

    @Override
    @Implementation
    protected void autoFocus(Camera.AutoFocusCallback to) {
      require();
      if (!isPreviewing) {
        throw new RuntimeException("autoFocus failed");
      }
      super.autoFocus(to);
      if (to != null) {
        later(
            () -> {
              if (hasRequestedAutoFocus()) {
                invokeAutoFocusCallback(true, camera);
              }
            },
            SHUTTER_MILLIS);
      }
    }

    @Implementation
    protected void takePicture(
        Camera.ShutterCallback shutter,
        Camera.PictureCallback raw,
        Camera.PictureCallback view,
        Camera.PictureCallback jpeg) {
      require();
      if (!isPreviewing) {
        throw new RuntimeException("takePicture failed");
      }
      isPreviewing = false;
      preview++;
      Camera.Size size = super.getParameters().getPictureSize();
      later(
          () -> {
            if (shutter != null) {
              shutter.onShutter();
            }
            if (raw != null) {
              raw.onPictureTaken(null, camera);
            }
            if (view != null) {
              view.onPictureTaken(null, camera);
            }
            if (jpeg != null && !isReleased) {
              jpeg.onPictureTaken(picture(size.width, size.height), camera);
            }
          },
          SHUTTER_MILLIS);
    }

    @Override
    @Implementation
    protected void takePicture(
        Camera.ShutterCallback shutter, Camera.PictureCallback raw, Camera.PictureCallback jpeg) {
      takePicture(shutter, raw, null, jpeg);
    }

    @Override
    @Implementation
    protected void release() {
      super.release();
      isReleased = true;
      synchronized (CameraShadows.class) {
        OPENED.remove(camera);
      }
    }

    /** What an app asks of a camera that is not there. */
    @Implementation
    protected static void getCameraInfo(int number, Camera.CameraInfo into) {
      if (number < 0 || number >= getNumberOfCameras()) {
        throw new RuntimeException("Fail to get camera info");
      }
      ShadowCamera.getCameraInfo(number, into);
    }
  }

  /** Opens cameras for apps that may use them. */
  @Implements(value = CameraManager.class, isInAndroidSdk = false)
  public static class OfCameraManager extends ShadowCameraManager {
    @RealObject private CameraManager manager;

    private static void require(String id) {
      if (RuntimeEnvironment.getApplication().checkSelfPermission("android.permission.CAMERA")
          != PackageManager.PERMISSION_GRANTED) {
        throw new SecurityException(
            "Lacking privileges to open camera device " + id + " (no CAMERA permission)");
      }
    }

    @Implementation
    protected void openCamera(String id, CameraDevice.StateCallback to, Handler handler)
        throws CameraAccessException {
      require(id);
      reflector(RealManager.class, manager).openCamera(id, to, handler);
    }

    @Implementation(minSdk = Build.VERSION_CODES.P)
    protected void openCamera(String id, Executor executor, CameraDevice.StateCallback to)
        throws CameraAccessException {
      require(id);
      reflector(RealManager.class, manager).openCamera(id, executor, to);
    }
  }

  /** The framework's own manager. */
  @ForType(CameraManager.class)
  interface RealManager {
    @Direct
    void openCamera(String id, CameraDevice.StateCallback to, Handler handler)
        throws CameraAccessException;

    @Direct
    void openCamera(String id, Executor executor, CameraDevice.StateCallback to)
        throws CameraAccessException;
  }

  /** The newer camera, which an app may open without naming a thread. */
  @Implements(value = CameraDeviceImpl.class, isInAndroidSdk = false)
  public static class OfCameraDevice extends ShadowCameraDeviceImpl {
    @Override
    @Implementation(minSdk = Build.VERSION_CODES.P)
    protected void createCaptureSession(
        List<Surface> outputs, CameraCaptureSession.StateCallback to, Handler handler)
        throws CameraAccessException {
      super.createCaptureSession(outputs, to, here(handler));
    }
  }

  private static Handler here(Handler handler) {
    return handler != null
        ? handler
        : new Handler(Looper.myLooper() != null ? Looper.myLooper() : Looper.getMainLooper());
  }

  /** Each request is answered after a moment: its pictures are in the app's readers then. */
  @Implements(value = CameraCaptureSessionImpl.class, isInAndroidSdk = false)
  public static class OfCaptureSession extends ShadowCameraCaptureSessionImpl {
    @RealObject private CameraCaptureSessionImpl session;
    private int sequence;
    private int repeating;
    private boolean isClosed;

    private int take(CaptureRequest request, CaptureCallback to, Executor executor, boolean again) {
      if (isClosed) {
        throw new IllegalStateException("Session has been closed; further changes are illegal.");
      }
      int mine = ++sequence;
      if (again) {
        repeating = mine;
      }
      later(() -> answer(mine, request, to, executor, again, 0));
      return mine;
    }

    private static void later(Runnable action) {
      new Handler(Looper.getMainLooper()).postDelayed(action, FRAME_MILLIS);
    }

    private void answer(
        int mine,
        CaptureRequest request,
        CaptureCallback to,
        Executor executor,
        boolean again,
        long frame) {
      if (isClosed || (again && repeating != mine)) {
        return;
      }
      ImageReaders.deliver(targets(request));
      if (to != null) {
        executor.execute(
            () -> {
              to.onCaptureStarted(session, request, SystemClock.elapsedRealtimeNanos(), frame);
              to.onCaptureCompleted(session, request, result());
            });
      }
      if (again) {
        later(() -> answer(mine, request, to, executor, true, frame + 1));
      }
    }

    @SuppressWarnings("unchecked")
    private static Iterable<Surface> targets(CaptureRequest request) {
      return (Iterable<Surface>) ReflectionHelpers.callInstanceMethod(request, "getTargets");
    }

    private static TotalCaptureResult result() {
      TotalCaptureResult result = ShadowTotalCaptureResult.newTotalCaptureResult();
      ShadowCaptureResult says = Shadow.extract(result);
      says.set(CaptureResult.CONTROL_AF_STATE, CaptureResult.CONTROL_AF_STATE_FOCUSED_LOCKED);
      says.set(CaptureResult.CONTROL_AE_STATE, CaptureResult.CONTROL_AE_STATE_CONVERGED);
      says.set(CaptureResult.CONTROL_AWB_STATE, CaptureResult.CONTROL_AWB_STATE_CONVERGED);
      says.set(CaptureResult.FLASH_STATE, CaptureResult.FLASH_STATE_READY);
      says.set(CaptureResult.SENSOR_TIMESTAMP, SystemClock.elapsedRealtimeNanos());
      return result;
    }

    private static Executor on(Handler handler) {
      Handler target = here(handler);
      return target::post;
    }

    @Override
    @Implementation(minSdk = Build.VERSION_CODES.P)
    protected int setRepeatingRequest(CaptureRequest request, CaptureCallback to, Handler handler) {
      return take(request, to, on(handler), true);
    }

    @Override
    @Implementation(minSdk = Build.VERSION_CODES.P)
    protected int setSingleRepeatingRequest(
        CaptureRequest request, Executor executor, CaptureCallback to) {
      return take(request, to, executor, true);
    }

    @Override
    @Implementation(minSdk = Build.VERSION_CODES.P)
    protected int capture(CaptureRequest request, CaptureCallback to, Handler handler) {
      return take(request, to, on(handler), false);
    }

    @Override
    @Implementation(minSdk = Build.VERSION_CODES.P)
    protected int captureSingleRequest(
        CaptureRequest request, Executor executor, CaptureCallback to) {
      return take(request, to, executor, false);
    }

    @Implementation
    protected int captureBurst(List<CaptureRequest> requests, CaptureCallback to, Handler handler) {
      int last = 0;
      for (CaptureRequest request : requests) {
        last = take(request, to, on(handler), false);
      }
      return last;
    }

    @Implementation
    protected void stopRepeating() {
      repeating = 0;
    }

    @Implementation
    protected void abortCaptures() {
      repeating = 0;
    }

    @Override
    @Implementation(minSdk = Build.VERSION_CODES.P)
    protected void close() {
      if (!isClosed) {
        isClosed = true;
        super.close();
      }
    }
  }
}
