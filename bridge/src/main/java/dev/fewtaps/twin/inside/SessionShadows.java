package dev.fewtaps.twin.inside;

import static org.robolectric.util.reflector.Reflector.reflector;

import android.app.PendingIntent;
import android.content.Context;
import android.media.MediaMetadata;
import android.media.session.MediaController;
import android.media.session.MediaSession;
import android.media.session.PlaybackState;
import android.os.Bundle;
import android.os.Handler;
import android.os.Looper;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.annotation.RealObject;
import org.robolectric.shadows.ShadowMediaController;
import org.robolectric.shadows.ShadowMediaSession;
import org.robolectric.util.reflector.Direct;
import org.robolectric.util.reflector.ForType;

/** Media sessions of the app: what one is told, its controllers know and are told of. */
public final class SessionShadows {
  /** The sessions that the app still holds. */
  private static final List<WeakReference<OfMediaSession>> SESSIONS = new ArrayList<>();

  private SessionShadows() {}

  static Class<?>[] all() {
    return new Class<?>[] {OfMediaController.class, OfMediaSession.class};
  }

  /** The session of a token, or null: tokens that went through a parcel are not known. */
  private static OfMediaSession sessionOf(MediaSession.Token token) {
    for (Iterator<WeakReference<OfMediaSession>> all = SESSIONS.iterator(); all.hasNext(); ) {
      OfMediaSession session = all.next().get();
      if (session == null) {
        all.remove();
      } else if (session.session.getSessionToken() == token) {
        return session;
      }
    }
    return null;
  }

  /** A callback of a controller and where it runs. */
  private record Listener(MediaController.Callback callback, Handler handler) {}

  /** Keeps what the system's service would keep. */
  @Implements(value = MediaSession.class, isInAndroidSdk = false)
  public static class OfMediaSession extends ShadowMediaSession {
    @RealObject private MediaSession session;
    private final List<Listener> listeners = new ArrayList<>();
    private boolean known;
    private MediaMetadata metadata;
    private PlaybackState state;
    private List<MediaSession.QueueItem> queue;
    private CharSequence queueTitle;
    private Bundle extras;
    private PendingIntent activity;

    private void keep() {
      if (!known) {
        known = true;
        SESSIONS.add(new WeakReference<>(this));
      }
    }

    private void tell(Consumer<MediaController.Callback> news) {
      for (Listener listener : List.copyOf(listeners)) {
        listener.handler().post(() -> news.accept(listener.callback()));
      }
    }

    @Implementation
    protected MediaSession.Token getSessionToken() {
      keep();
      return reflector(RealSession.class, session).getSessionToken();
    }

    @Implementation
    protected void setMetadata(MediaMetadata told) {
      keep();
      reflector(RealSession.class, session).setMetadata(told);
      metadata = told;
      tell(callback -> callback.onMetadataChanged(told));
    }

    @Implementation
    protected void setPlaybackState(PlaybackState told) {
      keep();
      reflector(RealSession.class, session).setPlaybackState(told);
      state = told;
      tell(callback -> callback.onPlaybackStateChanged(told));
    }

    @Implementation
    protected void setQueue(List<MediaSession.QueueItem> told) {
      keep();
      reflector(RealSession.class, session).setQueue(told);
      List<MediaSession.QueueItem> copy = told == null ? null : new ArrayList<>(told);
      queue = copy;
      tell(callback -> callback.onQueueChanged(copy));
    }

    @Implementation
    protected void setQueueTitle(CharSequence told) {
      keep();
      reflector(RealSession.class, session).setQueueTitle(told);
      queueTitle = told;
      tell(callback -> callback.onQueueTitleChanged(told));
    }

    @Implementation
    protected void setExtras(Bundle told) {
      keep();
      reflector(RealSession.class, session).setExtras(told);
      extras = told == null ? null : new Bundle(told);
      tell(callback -> callback.onExtrasChanged(told));
    }

    @Implementation
    protected void setSessionActivity(PendingIntent told) {
      keep();
      reflector(RealSession.class, session).setSessionActivity(told);
      activity = told;
    }

    @Implementation
    protected void release() {
      reflector(RealSession.class, session).release();
      tell(MediaController.Callback::onSessionDestroyed);
      listeners.clear();
    }
  }

  /** Answers from the session; without one, as Robolectric does. */
  @Implements(value = MediaController.class, isInAndroidSdk = false)
  public static class OfMediaController extends ShadowMediaController {
    @RealObject private MediaController controller;
    private MediaSession.Token token;

    @Override
    @Implementation
    protected void __constructor__(Context context, MediaSession.Token told) {
      super.__constructor__(context, told);
      token = told;
    }

    private OfMediaSession session() {
      return sessionOf(token);
    }

    @Override
    @Implementation
    protected MediaMetadata getMetadata() {
      OfMediaSession session = session();
      return session == null ? super.getMetadata() : session.metadata;
    }

    @Override
    @Implementation
    protected PlaybackState getPlaybackState() {
      OfMediaSession session = session();
      return session == null ? super.getPlaybackState() : session.state;
    }

    @Implementation
    protected List<MediaSession.QueueItem> getQueue() {
      OfMediaSession session = session();
      return session == null
          ? reflector(RealController.class, controller).getQueue()
          : session.queue;
    }

    @Implementation
    protected CharSequence getQueueTitle() {
      OfMediaSession session = session();
      return session == null
          ? reflector(RealController.class, controller).getQueueTitle()
          : session.queueTitle;
    }

    @Override
    @Implementation
    protected Bundle getExtras() {
      OfMediaSession session = session();
      return session == null ? super.getExtras() : session.extras;
    }

    @Override
    @Implementation
    protected PendingIntent getSessionActivity() {
      OfMediaSession session = session();
      return session == null ? super.getSessionActivity() : session.activity;
    }

    @Override
    @Implementation
    protected void registerCallback(MediaController.Callback callback, Handler handler) {
      super.registerCallback(callback, handler);
      OfMediaSession session = session();
      if (session != null && callback != null) {
        Handler where = handler == null ? new Handler(Looper.myLooper()) : handler;
        session.listeners.removeIf(listener -> listener.callback() == callback);
        session.listeners.add(new Listener(callback, where));
      }
    }

    @Override
    @Implementation
    protected void unregisterCallback(MediaController.Callback callback) {
      super.unregisterCallback(callback);
      OfMediaSession session = session();
      if (session != null) {
        session.listeners.removeIf(listener -> listener.callback() == callback);
      }
    }
  }

  /** The framework's own methods. */
  @ForType(MediaSession.class)
  interface RealSession {
    @Direct
    MediaSession.Token getSessionToken();

    @Direct
    void setMetadata(MediaMetadata told);

    @Direct
    void setPlaybackState(PlaybackState told);

    @Direct
    void setQueue(List<MediaSession.QueueItem> told);

    @Direct
    void setQueueTitle(CharSequence told);

    @Direct
    void setExtras(Bundle told);

    @Direct
    void setSessionActivity(PendingIntent told);

    @Direct
    void release();
  }

  /** The framework's own methods. */
  @ForType(MediaController.class)
  interface RealController {
    @Direct
    List<MediaSession.QueueItem> getQueue();

    @Direct
    CharSequence getQueueTitle();
  }
}
