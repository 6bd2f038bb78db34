package dev.fewtaps.twin.inside;

import android.graphics.ImageFormat;
import android.media.Image;
import android.media.ImageReader;
import android.view.Surface;
import java.lang.reflect.Array;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.annotation.RealObject;
import org.robolectric.shadow.api.Shadow;
import org.robolectric.shadows.ShadowImageReader;
import org.robolectric.util.ReflectionHelpers;

/** The readers through which an app gets the pictures of a camera. */
public final class ImageReaders {
  private static final String IMAGE = "android.media.ImageReader$SurfaceImage";
  private static final String PLANE = IMAGE + "$SurfacePlane";

  private static int made;

  private ImageReaders() {}

  static Class<?>[] all() {
    return new Class<?>[] {OfImageReader.class, OfSurfaceImage.class};
  }

  /** Puts a picture into those of the surfaces that belong to readers of pictures. */
  static void deliver(Iterable<Surface> targets) {
    List<OfImageReader> readers = new ArrayList<>();
    for (Surface target : targets) {
      Object owner =
          target.getClass().getName().contains("ShadowImageReader")
              ? ReflectionHelpers.getField(target, "this$0")
              : null;
      if (owner instanceof OfImageReader) {
        readers.add((OfImageReader) owner);
      }
    }
    readers.sort(Comparator.comparingInt(reader -> reader.number));
    readers.forEach(OfImageReader::put);
  }

  /** A reader that holds no more pictures than the app may have of it. */
  @Implements(value = ImageReader.class, isInAndroidSdk = false)
  public static class OfImageReader extends ShadowImageReader {
    @RealObject private ImageReader reader;
    private final int number = made++;
    private int waiting;

    private void put() {
      int format = reader.getImageFormat();
      boolean isSeen = format == ImageFormat.JPEG || format == ImageFormat.YUV_420_888;
      synchronized (this) {
        if (!isSeen || waiting >= reader.getMaxImages()) {
          return;
        }
        waiting++;
      }
      reader.getSurface().unlockCanvasAndPost(null);
    }

    @Override
    @Implementation
    protected int nativeImageSetup(Image image) {
      int result = super.nativeImageSetup(image);
      synchronized (this) {
        waiting -= result == 0 && waiting > 0 ? 1 : 0;
      }
      return result;
    }
  }

  /** A picture in a reader: a JPEG, or a grey frame. */
  @Implements(className = IMAGE, isInAndroidSdk = false)
  public static class OfSurfaceImage extends ShadowImageReader.ShadowSurfaceImage {
    @RealObject private Object image;

    @Implementation(maxSdk = 33)
    protected Object nativeCreatePlanes(int count, int format) {
      return planes();
    }

    @Implementation(minSdk = 34)
    protected Object nativeCreatePlanes(int count, int format, long usage) {
      return planes();
    }

    private Object planes() {
      int width = getWidth();
      int height = getHeight();
      Class<?> type = ReflectionHelpers.loadClass(ImageReaders.class.getClassLoader(), PLANE);
      if (getFormat() == ImageFormat.JPEG) {
        byte[] jpeg = CameraShadows.picture(width, height);
        Object only = Array.newInstance(type, 1);
        Array.set(only, 0, plane(type, 0, 0, jpeg));
        return only;
      }
      Object three = Array.newInstance(type, 3);
      Array.set(three, 0, plane(type, width, 1, grey(width * height)));
      for (int i = 1; i < 3; i++) {
        Array.set(three, i, plane(type, width / 2, 1, grey(width / 2 * (height / 2))));
      }
      return three;
    }

    private static byte[] grey(int size) {
      byte[] bytes = new byte[size];
      java.util.Arrays.fill(bytes, (byte) 0x80);
      return bytes;
    }

    private Object plane(Class<?> type, int row, int pixel, byte[] bytes) {
      ByteBuffer buffer = ByteBuffer.allocateDirect(bytes.length);
      buffer.put(bytes).rewind();
      Object plane = Shadow.newInstanceOf(type);
      ReflectionHelpers.setField(plane, "this$1", image);
      ReflectionHelpers.setField(plane, "mRowStride", row);
      ReflectionHelpers.setField(plane, "mPixelStride", pixel);
      ReflectionHelpers.setField(plane, "mBuffer", buffer);
      return plane;
    }
  }
}
