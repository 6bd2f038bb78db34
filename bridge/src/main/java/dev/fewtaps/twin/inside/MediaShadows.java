package dev.fewtaps.twin.inside;

import android.content.Context;
import android.content.res.AssetFileDescriptor;
import android.media.AudioAttributes;
import android.media.AudioFormat;
import android.media.AudioRecord;
import android.media.MediaPlayer;
import android.media.audiofx.Visualizer;
import android.os.Handler;
import android.os.Looper;
import android.os.SystemClock;
import android.util.Log;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.shadows.ShadowAudioRecord;
import org.robolectric.shadows.ShadowMediaPlayer;
import org.robolectric.shadows.ShadowVisualizer;
import org.robolectric.shadows.util.DataSource;
import org.robolectric.util.ReflectionHelpers;

/** Sound and film: nothing is heard, but it begins, goes on and ends. */
public final class MediaShadows {
  private static final int DURATION_MILLIS = 20_000;
  private static final int PREPARATION_MILLIS = 50;

  private MediaShadows() {}

  static Class<?>[] all() {
    return new Class<?>[] {OfMediaPlayer.class, OfVisualizer.class};
  }

  /** Plays anything for the same time; what lies in the network fails while there is none. */
  @Implements(value = MediaPlayer.class, isInAndroidSdk = false)
  public static class OfMediaPlayer extends ShadowMediaPlayer {
    private static final int CANNOT_CONNECT = -1004;
    private boolean unreachable;

    @Override
    public void doSetDataSource(DataSource source) {
      String place = String.valueOf((Object) ReflectionHelpers.getField(source, "dataSource"));
      unreachable =
          place.matches("(?is)(https?|rtsp|mms):.*")
              && Device.current().settings().network.equals("offline");
      if (getMediaInfo(source) == null) {
        addMediaInfo(source, new MediaInfo(DURATION_MILLIS, PREPARATION_MILLIS));
      }
      super.doSetDataSource(source);
    }

    @Implementation
    protected static MediaPlayer create(Context context, int resource) {
      return create(context, resource, null, 0);
    }

    /** As the framework's: a sound that cannot be opened is logged, and there is no player. */
    @Implementation
    protected static MediaPlayer create(
        Context context, int resource, AudioAttributes attributes, int session) {
      try (AssetFileDescriptor file = context.getResources().openRawResourceFd(resource)) {
        if (file == null) {
          return null;
        }
        MediaPlayer player = new MediaPlayer();
        if (attributes != null) {
          player.setAudioAttributes(attributes);
        }
        player.setDataSource(file.getFileDescriptor(), file.getStartOffset(), file.getLength());
        player.prepare();
        return player;
      } catch (IOException | IllegalArgumentException | SecurityException e) {
        Log.d("MediaPlayer", "create failed:", e);
        return null;
      }
    }

    @Override
    @Implementation
    protected void prepare() {
      if (unreachable) {
        setState(State.ERROR);
        sneak(new IOException("Prepare failed.: status=0x1"));
      }
      super.prepare();
    }

    @Override
    @Implementation
    protected void prepareAsync() {
      if (unreachable) {
        setState(State.PREPARING);
        Looper looper = Looper.myLooper() != null ? Looper.myLooper() : Looper.getMainLooper();
        new Handler(looper)
            .postDelayed(
                () -> invokeErrorListener(MediaPlayer.MEDIA_ERROR_UNKNOWN, CANNOT_CONNECT),
                PREPARATION_MILLIS);
      } else {
        super.prepareAsync();
      }
    }

    /** The framework's method declares what Robolectric's does not. */
    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void sneak(Throwable error) throws T {
      throw (T) error;
    }
  }

  /** Lets every recorder hear silence, which takes as long as it lasts. */
  static void installMicrophone() {
    ShadowAudioRecord.setSourceProvider(Silence::new);
  }

  /** A microphone in a silent room. */
  private record Silence(AudioRecord recorder) implements ShadowAudioRecord.AudioRecordSource {
    private static final long MILLIS = 1000;

    @Override
    public int readInByteArray(byte[] audio, int offset, int size, boolean blocks) {
      return heard(size, size, blocks);
    }

    @Override
    public int readInShortArray(short[] audio, int offset, int size, boolean blocks) {
      return heard(size, (long) size * Short.BYTES, blocks);
    }

    @Override
    public int readInFloatArray(float[] audio, int offset, int size, boolean blocks) {
      return heard(size, (long) size * Float.BYTES, blocks);
    }

    @Override
    public int readInDirectBuffer(ByteBuffer audio, int size, boolean blocks) {
      return heard(size, size, blocks);
    }

    private int frameBytes() {
      int sample =
          switch (recorder.getAudioFormat()) {
            case AudioFormat.ENCODING_PCM_8BIT -> Byte.BYTES;
            case AudioFormat.ENCODING_PCM_FLOAT -> Float.BYTES;
            default -> Short.BYTES;
          };
      return sample * recorder.getChannelCount();
    }

    private int heard(int size, long bytes, boolean blocks) {
      long second = Math.max(1L, (long) recorder.getSampleRate() * frameBytes());
      if (blocks) {
        SystemClock.sleep((bytes * MILLIS + second - 1) / second);
      }
      return size;
    }
  }

  /** The limits that a phone states. */
  @Implements(value = Visualizer.class, isInAndroidSdk = false)
  public static class OfVisualizer extends ShadowVisualizer {
    @Implementation
    protected static int[] getCaptureSizeRange() {
      return new int[] {128, 1024};
    }

    @Implementation
    protected static int getMaxCaptureRate() {
      return 20_000;
    }
  }
}
