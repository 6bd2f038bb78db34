package dev.fewtaps.twin.inside;

import static org.robolectric.util.reflector.Reflector.reflector;

import android.app.Activity;
import android.app.ActivityGroup;
import android.app.LoadedApk;
import android.app.QueuedWork;
import android.app.TabActivity;
import android.app.job.JobInfo;
import android.app.job.JobWorkItem;
import android.content.ComponentName;
import android.content.Context;
import android.content.Intent;
import android.content.ServiceConnection;
import android.content.pm.ApplicationInfo;
import android.content.pm.PackageManager;
import android.database.Cursor;
import android.os.Bundle;
import android.os.HandlerThread;
import android.os.Looper;
import android.os.Message;
import android.os.MessageQueue;
import android.os.SystemClock;
import android.os.UserHandle;
import android.view.View;
import android.view.ViewTreeObserver;
import android.widget.Filter;
import android.widget.TabHost;
import android.widget.TabWidget;
import android.widget.TextView;
import android.widget.Toast;
import dev.fewtaps.twin.world.Recorder;
import dev.fewtaps.twin.world.World;
import dev.fewtaps.twin.world.WorldFileOutputStream;
import java.io.FileNotFoundException;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.annotation.RealObject;
import org.robolectric.shadow.api.Shadow;
import org.robolectric.shadows.ShadowActivity;
import org.robolectric.shadows.ShadowContextImpl;
import org.robolectric.shadows.ShadowJobScheduler;
import org.robolectric.shadows.ShadowLinearLayout;
import org.robolectric.shadows.ShadowLoadedApk;
import org.robolectric.shadows.ShadowPausedMessage;
import org.robolectric.shadows.ShadowPausedMessageQueue;
import org.robolectric.shadows.ShadowPausedSystemClock;
import org.robolectric.shadows.ShadowQueuedWork;
import org.robolectric.shadows.ShadowViewGroup;
import org.robolectric.util.ReflectionHelpers;
import org.robolectric.util.ReflectionHelpers.ClassParameter;
import org.robolectric.util.reflector.Accessor;
import org.robolectric.util.reflector.Direct;
import org.robolectric.util.reflector.ForType;
import org.robolectric.util.reflector.Static;

/** Where Robolectric only records what an app asks for, these really do it. */
public final class TwinShadows {
  private TwinShadows() {}

  /** The class loader of the app, where the framework looks for it first. */
  @Implements(value = LoadedApk.class, isInAndroidSdk = false)
  public static class OfLoadedApk extends ShadowLoadedApk {
    @RealObject private LoadedApk loaded;

    /** Adds the splits of the app, whose resources the framework then puts beside the base's. */
    @Implementation
    protected void setApplicationInfo(ApplicationInfo info) {
      Device device = Device.current();
      if (device != null
          && info.packageName.equals(device.packageName())
          && !device.settings().splits().isEmpty()) {
        String[] paths =
            device.settings().splits().stream().map(Path::toString).toArray(String[]::new);
        info.splitSourceDirs = paths;
        info.splitPublicSourceDirs = paths;
      }
      Shadow.directlyOn(
          loaded,
          LoadedApk.class,
          "setApplicationInfo",
          ClassParameter.from(ApplicationInfo.class, info));
    }

    @Override
    @Implementation
    public ClassLoader getClassLoader() {
      ClassLoader sandbox = super.getClassLoader(); // Also installs the component factory.
      Device device = Device.current();
      return device == null ? sandbox : device.loader();
    }

    @Override
    @Implementation
    public ClassLoader getSplitClassLoader(String splitName) {
      return Device.current().loader();
    }
  }

  /** The class loader again, and services. */
  @Implements(className = "android.app.ContextImpl", isInAndroidSdk = false)
  public static class OfContextImpl extends ShadowContextImpl {
    @RealObject private Context context;

    @Override
    @Implementation
    protected ClassLoader getClassLoader() {
      Device device = Device.current();
      return device == null ? super.getClassLoader() : device.loader();
    }

    @Override
    @Implementation
    protected ComponentName startService(Intent service) {
      validateServiceIntent(service);
      return Device.current().services().start(service);
    }

    @Override
    @Implementation
    protected ComponentName startServiceAsUser(Intent service, UserHandle user) {
      return startService(service);
    }

    @Override
    @Implementation(minSdk = 26)
    protected ComponentName startForegroundService(Intent service) {
      return startService(service);
    }

    @Override
    @Implementation
    protected boolean stopService(Intent service) {
      validateServiceIntent(service);
      return Device.current().services().stop(service);
    }

    @Override
    @Implementation
    protected boolean bindService(Intent intent, ServiceConnection connection, int flags) {
      validateServiceIntent(intent);
      return Device.current()
          .services()
          .bind(intent, connection, (flags & Context.BIND_AUTO_CREATE) != 0);
    }

    @Override
    @Implementation(minSdk = 29)
    protected boolean bindService(
        Intent intent, int flags, Executor executor, ServiceConnection connection) {
      return bindService(intent, connection, flags);
    }

    @Override
    @Implementation
    protected boolean bindServiceAsUser(
        Intent intent, ServiceConnection connection, int flags, UserHandle user) {
      return bindService(intent, connection, flags);
    }

    @Override
    @Implementation
    protected void unbindService(ServiceConnection connection) {
      Device.current().services().unbind(connection);
    }

    /** The stream that the app would have opened itself: it knows when the phone is full. */
    @Implementation
    protected FileOutputStream openFileOutput(String name, int mode) throws FileNotFoundException {
      FileOutputStream opened = reflector(RealContext.class, context).openFileOutput(name, mode);
      Device device = Device.current();
      if (device == null || !device.settings().isStorageFull) {
        return opened;
      }
      try {
        opened.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e); // Nothing was written that could fail.
      }
      return new WorldFileOutputStream(context.getFileStreamPath(name), true);
    }

    /** Apps for Android 4 and older may name a service by its action alone, with a warning. */
    @Override
    @Implementation
    protected void validateServiceIntent(Intent service) {
      if (service.getComponent() == null
          && service.getPackage() == null
          && Device.current().manifest().applicationInfo.targetSdkVersion >= 21) {
        throw new IllegalArgumentException("Service Intent must be explicit: " + service);
      }
    }
  }

  /** The framework's own context. */
  @ForType(className = "android.app.ContextImpl")
  interface RealContext {
    @Direct
    FileOutputStream openFileOutput(String name, int mode) throws FileNotFoundException;
  }

  /** The framework's own activity, where Robolectric has a simpler one of its own. */
  @Implements(value = Activity.class, isInAndroidSdk = false)
  public static class OfActivity extends ShadowActivity {
    @RealObject private Activity activity;
    private boolean pressingBack;

    /** The token that a recording has for the wish to finish. */
    int finishToken;

    @Override
    @Implementation(minSdk = 24)
    protected boolean isInMultiWindowMode() {
      Device device = Device.current();
      return device != null && device.settings().isSplitScreen;
    }

    private RealActivity real() {
      return reflector(RealActivity.class, activity);
    }

    @Override
    @Implementation
    protected void onBackPressed() {
      pressingBack = true;
      try {
        real().onBackPressed();
      } finally {
        pressingBack = false;
      }
    }

    @Override
    @Implementation
    protected Object getLastNonConfigurationInstance() {
      return real().getLastNonConfigurationInstance();
    }

    @Override
    @Implementation
    protected View getCurrentFocus() {
      return real().getCurrentFocus();
    }

    @Override
    @Implementation
    protected void showDialog(int id) {
      real().showDialog(id);
    }

    @Override
    @Implementation
    protected boolean showDialog(int id, Bundle arguments) {
      return real().showDialog(id, arguments);
    }

    @Override
    @Implementation
    protected void dismissDialog(int id) {
      real().dismissDialog(id);
    }

    @Override
    @Implementation
    protected void removeDialog(int id) {
      real().removeDialog(id);
    }

    @Override
    @Implementation
    protected void startManagingCursor(Cursor cursor) {
      real().startManagingCursor(cursor);
    }

    @Override
    @Implementation
    protected void stopManagingCursor(Cursor cursor) {
      real().stopManagingCursor(cursor);
    }

    @Override
    @Implementation
    protected void onDestroy() {
      real().onDestroy();
    }

    @Override
    @Implementation
    protected void recreate() {
      Device.current().activities().recreate(activity);
    }

    @Override
    @Implementation
    public void finish() {
      finishToken = Recorder.hand("Activity.finish");
      super.finish();
    }

    @Override
    @Implementation
    protected void finishAffinity() {
      Device.current().activities().finishAll();
    }

    @Override
    @Implementation
    protected boolean isTaskRoot() {
      // Android 10 and 11 ask the system at the root alone, which would say: finish, as elsewhere.
      int level = RuntimeEnvironment.getApiLevel();
      if (pressingBack && (level == 29 || level == 30)) {
        return false;
      }
      return Device.current().activities().isRoot(activity);
    }

    @Override
    @Implementation
    protected boolean moveTaskToBack(boolean nonRoot) {
      Device.current().activities().post(() -> Device.current().activities().goHome());
      return true;
    }

    @Implementation
    protected boolean navigateUpTo(Intent intent) {
      if (activity.getParent() != null) {
        return real().navigateUpTo(intent);
      }
      Intent explicit = new Intent(intent);
      if (explicit.getComponent() == null) {
        explicit.setComponent(intent.resolveActivity(activity.getPackageManager()));
      }
      return explicit.getComponent() != null
          && Device.current().activities().navigateUp(activity, explicit);
    }

    @Implementation
    protected boolean shouldUpRecreateTask(Intent intent) {
      PackageManager packages = activity.getPackageManager();
      ComponentName component =
          intent.getComponent() != null ? intent.getComponent() : intent.resolveActivity(packages);
      try {
        String affinity = packages.getActivityInfo(component, 0).taskAffinity;
        return affinity != null && Device.current().activities().isTaskApartFrom(affinity);
      } catch (PackageManager.NameNotFoundException e) {
        return false;
      }
    }

    @Implementation
    protected void finishActivity(int requestCode) {
      Device.current().activities().finishChildren(activity, requestCode);
    }

    @Override
    @Implementation
    protected void requestPermissions(String[] permissions, int requestCode) {
      Permissions.request(Device.current(), activity, permissions, requestCode);
    }

    @Implementation(minSdk = 35)
    protected void requestPermissions(String[] permissions, int requestCode, int deviceId) {
      requestPermissions(permissions, requestCode);
    }
  }

  /**
   * Activities inside activities, as tabs of Android 2 are: the framework's own code serves them.
   */
  @Implements(value = ActivityGroup.class, isInAndroidSdk = false)
  public static class OfActivityGroup extends OfActivity {}

  /** The same for tabs. */
  @Implements(value = TabActivity.class, isInAndroidSdk = false)
  public static class OfTabActivity extends OfActivityGroup {}

  /** The methods of {@link Activity} that Robolectric hides. */
  @ForType(Activity.class)
  interface RealActivity {
    @Direct
    void onBackPressed();

    @Direct
    boolean navigateUpTo(Intent intent);

    @Direct
    Object getLastNonConfigurationInstance();

    @Direct
    View getCurrentFocus();

    @Direct
    void showDialog(int id);

    @Direct
    boolean showDialog(int id, Bundle arguments);

    @Direct
    void dismissDialog(int id);

    @Direct
    void removeDialog(int id);

    @Direct
    void startManagingCursor(Cursor cursor);

    @Direct
    void stopManagingCursor(Cursor cursor);

    @Direct
    void onDestroy();
  }

  /** The framework's own filter, which works in the background: completion depends on its order. */
  @Implements(value = Filter.class, isInAndroidSdk = false)
  public static class OfFilter {}

  /** The framework's own tab, with its label and content. */
  @Implements(value = TabHost.TabSpec.class, isInAndroidSdk = false)
  public static class OfTabSpec {}

  /** Shows toasts on the screen of the twin. */
  @Implements(value = Toast.class, isInAndroidSdk = false)
  public static class OfToast {
    @RealObject private Toast toast;

    @Implementation
    protected void show() {
      View view = toast.getView();
      // Since Android 11 the system draws a toast that is only text, and there is no view of it.
      CharSequence plain =
          view == null && RuntimeEnvironment.getApiLevel() >= 30
              ? ReflectionHelpers.getField(toast, "mText")
              : null;
      if (view == null && plain == null) {
        throw new RuntimeException("setView must have been called");
      }
      String text = view == null ? plain.toString() : textOf(view);
      Device.current().toasts().show(toast, text, toast.getDuration());
    }

    @Implementation
    protected void cancel() {
      Device.current().toasts().cancel(toast);
    }

    private static String textOf(View view) {
      if (view instanceof TextView) {
        return ((TextView) view).getText().toString();
      }
      StringBuilder text = new StringBuilder();
      if (view instanceof android.view.ViewGroup) {
        android.view.ViewGroup group = (android.view.ViewGroup) view;
        for (int i = 0; i < group.getChildCount(); i++) {
          String part = textOf(group.getChildAt(i));
          if (!part.isEmpty()) {
            text.append(text.length() == 0 ? "" : " ").append(part);
          }
        }
      }
      return text.toString();
    }
  }

  /** Runs jobs instead of only listing them. */
  @Implements(className = "android.app.JobSchedulerImpl", isInAndroidSdk = false)
  public static class OfJobScheduler extends ShadowJobScheduler.ShadowJobSchedulerImpl {
    @Override
    @Implementation
    public int schedule(JobInfo job) {
      int result = super.schedule(job);
      Device.current().jobs().schedule(job);
      return result;
    }

    @Override
    @Implementation
    public int enqueue(JobInfo job, JobWorkItem work) {
      int result = super.schedule(job);
      Device.current().jobs().enqueue(job, work);
      return result;
    }

    @Override
    @Implementation
    public void cancel(int jobId) {
      super.cancel(jobId);
      Device.current().jobs().cancel(jobId);
    }

    @Override
    @Implementation
    public void cancelAll() {
      super.cancelAll();
      Device.current().jobs().cancelAll();
    }
  }

  /**
   * Lets the world decide when a background looper runs: its thread waits at the world's gate
   * instead of in a real wait. The main looper is driven by {@link MainLoop} and never polls.
   */
  @Implements(value = MessageQueue.class, isInAndroidSdk = false)
  public static class OfMessageQueue extends ShadowPausedMessageQueue {
    @RealObject private MessageQueue queue;
    private volatile boolean waited;

    private boolean inTask;

    @Override
    @Implementation
    protected boolean enqueueMessage(Message message, long when) {
      if (Recorder.isOn()) {
        OfMessage shadow = Shadow.extract(message);
        shadow.token = Recorder.hand(null);
      }
      return super.enqueueMessage(message, when);
    }

    /** Called by loopers; {@link MainLoop} asks the main one's queue itself. */
    @Implementation
    protected Message next() {
      if (inTask) {
        Recorder.done();
        inTask = false;
      }
      Message message = reflector(RealQueue.class, queue).next();
      if (message != null && Recorder.isOn() && !isMain()) {
        Recorder.task(tokenOf(message));
        inTask = true;
      }
      return message;
    }

    private boolean isMain() {
      return Looper.getMainLooper() != null && Looper.getMainLooper().getQueue() == queue;
    }

    /** The token of the message that is due first, 0 if it has none. */
    int dueToken() {
      Message message = due();
      return message == null ? 0 : tokenOf(message);
    }

    private static int tokenOf(Message message) {
      OfMessage shadow = Shadow.extract(message);
      return shadow.token;
    }

    @Override
    @Implementation
    protected void nativePollOnce(long pointer, int timeoutMillis) {
      World world = World.current();
      if (world == null) {
        super.nativePollOnce(pointer, timeoutMillis);
      } else if (timeoutMillis != 0) {
        long deadline = timeoutMillis < 0 ? Long.MAX_VALUE : world.uptimeMillis() + timeoutMillis;
        waited = true;
        world.blockLooper(this::hasWork, deadline);
      }
    }

    private boolean hasWork() {
      return reflector(RealQueue.class, queue).getQuitting() || due() != null;
    }

    private Message due() {
      Message message = reflector(RealQueue.class, queue).getMessages();
      if (message != null && message.getTarget() == null) {
        do {
          message = reflector(RealMessage.class, message).getNext();
        } while (message != null && !message.isAsynchronous());
      }
      return message != null && message.getWhen() <= SystemClock.uptimeMillis() ? message : null;
    }
  }

  /** A message with the token that a recording has for it since it was last sent. */
  @Implements(value = Message.class, isInAndroidSdk = false)
  public static class OfMessage extends ShadowPausedMessage {
    private int token;
  }

  @ForType(MessageQueue.class)
  interface RealQueue {
    @Accessor("mMessages")
    Message getMessages();

    @Accessor("mQuitting")
    boolean getQuitting();

    @Direct
    Message next();
  }

  @ForType(Message.class)
  interface RealMessage {
    @Accessor("next")
    Message getNext();
  }

  /** Announces a looper thread that the framework itself has started. */
  @Implements(value = HandlerThread.class, isInAndroidSdk = false)
  public static class OfHandlerThread {
    @RealObject private HandlerThread thread;

    @Implementation
    protected void run() {
      World world = World.current();
      if (world != null && !world.owns(Thread.currentThread())) {
        world.expectArrival(Thread.currentThread());
      }
      reflector(RealHandlerThread.class, thread).run();
    }

    /**
     * Returns only when the thread waits for messages: one that found a message before its first
     * wait would run it at once, beside its starter, and not when the world says.
     */
    @Implementation
    protected Looper getLooper() {
      Looper looper = reflector(RealHandlerThread.class, thread).getLooper();
      if (looper != null && Thread.currentThread() != thread && World.current() != null) {
        OfMessageQueue queue = Shadow.extract(looper.getQueue());
        for (int looks = 0, still = 0;
            looks < MOST_LOOKS && still < STILL_LOOKS && thread.isAlive();
            looks++) {
          boolean parked = thread.getState() != Thread.State.RUNNABLE;
          if (parked && queue.waited) {
            break;
          }
          still = parked ? still + 1 : 0;
          LockSupport.parkNanos(LOOK_NANOS);
        }
      }
      return looper;
    }

    private static final long LOOK_NANOS = 50_000;
    private static final int MOST_LOOKS = 20_000;

    /** So often found parked, it waits for something other than messages. */
    private static final int STILL_LOOKS = 100;
  }

  @ForType(HandlerThread.class)
  interface RealHandlerThread {
    @Direct
    void run();

    @Direct
    Looper getLooper();
  }

  /** A sleeping thread sleeps in virtual time and lets others run. */
  @Implements(value = SystemClock.class, isInAndroidSdk = false)
  public static class OfSystemClock extends ShadowPausedSystemClock {
    @Implementation
    protected static void sleep(long millis) {
      World world = World.current();
      if (world == null) {
        ShadowPausedSystemClock.sleep(millis);
      } else {
        world.blockUntil(() -> false, world.uptimeMillis() + millis);
      }
    }
  }

  /** The framework's own tabs, in place of Robolectric's, which show nothing. */
  @Implements(value = TabHost.class, isInAndroidSdk = false)
  public static class OfTabHost extends ShadowViewGroup {}

  /** The same for the row of labels. */
  @Implements(value = TabWidget.class, isInAndroidSdk = false)
  public static class OfTabWidget extends ShadowLinearLayout {}

  /**
   * Writes preferences at once when a thread waits for it: the waiting thread would keep the world
   * from giving the writing one its turn.
   */
  @Implements(value = QueuedWork.class, isInAndroidSdk = false)
  public static class OfQueuedWork extends ShadowQueuedWork {
    @Implementation
    protected static void queue(Runnable work, boolean shouldDelay) {
      reflector(RealQueuedWork.class).queue(work, shouldDelay);
      if (!shouldDelay) {
        reflector(RealQueuedWork.class).processPendingWork();
      }
    }
  }

  @ForType(QueuedWork.class)
  interface RealQueuedWork {
    @Static
    @Direct
    void queue(Runnable work, boolean shouldDelay);

    @Static
    void processPendingWork();
  }

  /** Tells when the framework is about to draw; it draws nothing itself, having no screen. */
  @Implements(value = ViewTreeObserver.class, isInAndroidSdk = false)
  public static class OfViewTreeObserver {
    @RealObject private ViewTreeObserver observer;

    @Implementation
    protected boolean dispatchOnPreDraw() {
      boolean cancelled = Shadow.directlyOn(observer, ViewTreeObserver.class, "dispatchOnPreDraw");
      if (!cancelled) {
        Drawing.want();
      }
      return cancelled;
    }
  }
}
