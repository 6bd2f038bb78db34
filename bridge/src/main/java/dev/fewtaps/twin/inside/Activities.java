package dev.fewtaps.twin.inside;

import static org.robolectric.util.reflector.Reflector.reflector;

import android.app.Activity;
import android.app.Instrumentation;
import android.content.ActivityNotFoundException;
import android.content.ComponentCallbacks2;
import android.content.ComponentName;
import android.content.Intent;
import android.content.pm.ActivityInfo;
import android.content.pm.PackageManager;
import android.content.pm.ResolveInfo;
import android.content.res.Configuration;
import android.os.Bundle;
import android.os.Handler;
import android.os.IBinder;
import android.os.Looper;
import android.os.Parcel;
import android.view.View;
import android.view.ViewRootImpl;
import android.view.WindowManager;
import dev.fewtaps.twin.world.Recorder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.shadow.api.Shadow;
import org.robolectric.shadows.ShadowActivity;
import org.robolectric.shadows.ShadowViewRootImpl;
import org.robolectric.util.ReflectionHelpers;

/**
 * The back stack: starts, pauses, stops and finishes activities as the system server would.
 *
 * <p>Requests only leave a message on the main looper, so that an activity goes on with what it was
 * doing before it is paused, as on a phone. What an activity does to itself (finish, a new
 * orientation) is noticed by {@link #tidy}, which the main loop calls between messages.
 */
final class Activities {
  private enum State {
    CREATED,
    STARTED,
    RESUMED,
    PAUSED,
    STOPPED,
    DESTROYED
  }

  private static final class Record {
    final ActivityInfo info;
    int orientation;
    Activity activity;
    Intent intent;
    State state = State.CREATED;
    Record resultTo;
    String resultWho;
    int requestCode = -1;
    Bundle saved;
    final List<Object[]> results = new ArrayList<>();
    final List<Intent> newIntents = new ArrayList<>();

    Record(ActivityInfo info, Intent intent) {
      this.info = info;
      this.orientation = info.screenOrientation;
      this.intent = intent;
    }

    ActivityInner inner() {
      return reflector(ActivityInner.class, activity);
    }
  }

  /**
   * How long a phone takes to start an activity, at best: one that starts itself for ever needs
   * time for it.
   */
  private static final long START_MILLIS = 40;

  /**
   * {@code ActivityInfo.CONFIG_WINDOW_CONFIGURATION}: where the window is, which no app is told.
   */
  private static final int WINDOW_CONFIGURATION = 0x20000000;

  private static final int MOST_KEPT = 50;

  private final Device device;
  private final List<Record> stack = new ArrayList<>();
  private boolean inBackground;
  private int starting;
  private Handler handler;

  Activities(Device device) {
    this.device = device;
  }

  /** The activity a user sees, or null when the app is gone or in the background. */
  Activity top() {
    Record top = topRecord();
    return top == null || inBackground ? null : top.activity;
  }

  boolean isEmpty() {
    return stack.isEmpty();
  }

  boolean isInBackground() {
    return inBackground;
  }

  /** The activities whose windows are on screen: the top one and what shows through it. */
  List<Activity> visible() {
    List<Activity> shown = new ArrayList<>();
    if (inBackground) {
      return shown;
    }
    for (int i = stack.size() - 1; i >= 0; i--) {
      Record record = stack.get(i);
      if (record.activity == null) {
        break;
      }
      shown.add(record.activity);
      if (!isSeeThrough(record)) {
        break;
      }
    }
    return shown;
  }

  /** Starts an activity on behalf of a caller; throws a phone's exception if no app has it. */
  void start(Intent intent, Activity caller, String who, int requestCode) {
    Intent copy = new Intent(intent);
    ActivityInfo info = resolve(copy);
    if (info == null) {
      Neighbours.Answer answer = Neighbours.answer(device, copy);
      if (answer == null) {
        throw notFound(copy);
      }
      device.notes().say("left to another app: " + Neighbours.describe(copy));
      post(
          () -> {
            answer.deed.run();
            deliverFromNeighbour(caller, who, requestCode, answer);
          });
      return;
    }
    copy.setComponent(new ComponentName(info.packageName, info.name));
    starting++;
    handler()
        .postDelayed(
            () -> {
              starting--;
              startNow(info, copy, recordOf(caller), who, requestCode);
            },
            START_MILLIS);
  }

  private static ActivityNotFoundException notFound(Intent intent) {
    if (intent.getComponent() != null) {
      return new ActivityNotFoundException(
          "Unable to find explicit activity class "
              + intent.getComponent().toShortString()
              + "; have you declared this activity in your AndroidManifest.xml?");
    }
    return new ActivityNotFoundException("No Activity found to handle " + intent);
  }

  private ActivityInfo resolve(Intent intent) {
    PackageManager packages = RuntimeEnvironment.getApplication().getPackageManager();
    if (intent.getComponent() != null) {
      try {
        return packages.getActivityInfo(intent.getComponent(), PackageManager.GET_META_DATA);
      } catch (PackageManager.NameNotFoundException e) {
        return null;
      }
    }
    Intent question = intent.getSelector() != null ? intent.getSelector() : intent;
    ResolveInfo found =
        packages.resolveActivity(
            question, PackageManager.MATCH_DEFAULT_ONLY | PackageManager.GET_META_DATA);
    if (found == null
        || found.activityInfo == null
        || !device.packageName().equals(found.activityInfo.packageName)) {
      return null;
    }
    return found.activityInfo;
  }

  private void deliverFromNeighbour(
      Activity caller, String who, int requestCode, Neighbours.Answer answer) {
    Record record = recordOf(caller);
    if (record == null || record.state == State.DESTROYED) {
      return;
    }
    // The other app was in front for a moment: the caller sees itself paused and resumed.
    if (record == topRecord() && record.state == State.RESUMED) {
      leave(record);
      stop(record);
      if (requestCode >= 0) {
        record.results.add(new Object[] {who, requestCode, answer.resultCode, answer.data});
      }
      resume(record);
    } else if (requestCode >= 0) {
      record.results.add(new Object[] {who, requestCode, answer.resultCode, answer.data});
    }
  }

  /** Starts the app from its launcher icon. */
  void launch(ComponentName component) {
    Intent intent =
        new Intent(Intent.ACTION_MAIN)
            .addCategory(Intent.CATEGORY_LAUNCHER)
            .addFlags(Intent.FLAG_ACTIVITY_NEW_TASK)
            .setComponent(component);
    start(intent, null, null, -1);
  }

  private void startNow(
      ActivityInfo info, Intent intent, Record caller, String who, int requestCode) {
    inBackground = false;
    int flags = intent.getFlags();
    if ((flags & Intent.FLAG_ACTIVITY_CLEAR_TASK) != 0) {
      for (Record record : new ArrayList<>(stack)) {
        destroy(record);
      }
    }
    boolean wantsResult = requestCode >= 0;
    boolean single =
        info.launchMode == ActivityInfo.LAUNCH_SINGLE_TASK
            || info.launchMode == ActivityInfo.LAUNCH_SINGLE_INSTANCE;
    boolean clearTop = single || (flags & Intent.FLAG_ACTIVITY_CLEAR_TOP) != 0;
    boolean singleTop =
        single
            || info.launchMode == ActivityInfo.LAUNCH_SINGLE_TOP
            || (flags & Intent.FLAG_ACTIVITY_SINGLE_TOP) != 0;
    Record existing = find(info.name);
    if (existing != null && !wantsResult) {
      if (clearTop) {
        clearAbove(existing);
        if (singleTop) {
          deliverNewIntent(existing, intent);
          return;
        }
        destroy(existing);
      } else if ((flags & Intent.FLAG_ACTIVITY_REORDER_TO_FRONT) != 0) {
        Record before = topRecord();
        if (before != existing) {
          leave(before);
          stack.remove(existing);
          stack.add(existing);
          deliverNewIntent(existing, intent);
          stopIfHidden(before);
        } else {
          deliverNewIntent(existing, intent);
        }
        return;
      } else if (singleTop && existing == topRecord()) {
        deliverNewIntent(existing, intent);
        return;
      }
    }
    Record before = topRecord();
    leave(before);
    Record record = new Record(info, intent);
    if (wantsResult) {
      record.resultTo = caller;
      record.resultWho = who;
      record.requestCode = requestCode;
    } else if ((flags & Intent.FLAG_ACTIVITY_FORWARD_RESULT) != 0 && caller != null) {
      record.resultTo = caller.resultTo;
      record.resultWho = caller.resultWho;
      record.requestCode = caller.requestCode;
      caller.resultTo = null;
    }
    stack.add(record);
    create(record, null, null);
    if (before != null && before.state != State.DESTROYED) {
      stopIfHidden(before);
      if ((before.intent.getFlags() & Intent.FLAG_ACTIVITY_NO_HISTORY) != 0
          || (before.info.flags & ActivityInfo.FLAG_NO_HISTORY) != 0) {
        destroy(before);
      }
    }
    letGoOfOneFarBelow();
  }

  /**
   * Destroys a stopped activity that many others cover, as Android may: when it is wanted again it
   * comes back from its saved state. Otherwise an app that starts itself for ever fills the memory
   * with what no user gets to see.
   */
  private void letGoOfOneFarBelow() {
    Record record = stack.size() > MOST_KEPT ? stack.get(stack.size() - 1 - MOST_KEPT) : null;
    if (record != null
        && record.activity != null
        && record.state == State.STOPPED
        && !record.activity.isFinishing()) {
      letGo(record);
    }
  }

  private void deliverNewIntent(Record record, Intent intent) {
    record.newIntents.add(intent);
    if (record == topRecord()) {
      if (record.state == State.RESUMED) {
        pause(record);
      }
      resume(record);
    }
  }

  private void clearAbove(Record record) {
    while (topRecord() != record) {
      destroy(topRecord());
    }
  }

  private void create(Record record, Bundle saved, Object nonConfiguration) {
    if (record == topRecord()) {
      Orientation.turn(device, record.orientation);
    }
    String name =
        record.info.targetActivity != null ? record.info.targetActivity : record.info.name;
    Activity activity =
        Unable.to(
            "instantiate activity " + nameOf(record),
            () -> device.appFactory().instantiateActivity(device.loader(), name, record.intent));
    record.activity = activity;
    record.intent.setExtrasClassLoader(device.loader());
    if (saved != null) {
      saved.setClassLoader(device.loader());
    }
    ShadowActivity shadow = Shadow.extract(activity);
    shadow.callAttach(record.intent, null, nonConfiguration, null);
    ComponentContext.giveTo(activity);
    if (record.resultTo != null) {
      shadow.setCallingActivity(new ComponentName(device.packageName(), record.resultTo.info.name));
    }
    activity.setRequestedOrientation(record.orientation);
    record.state = State.CREATED;
    SuperCalls.require(
        activity,
        braced(record),
        "onCreate",
        () ->
            Unable.to(
                "start activity " + nameOf(record),
                () -> instrumentation().callActivityOnCreate(activity, saved)));
    if (activity.isFinishing()) {
      return; // Left to tidy(): it goes from created straight to destroyed.
    }
    start(record);
    if (saved != null) {
      instrumentation().callActivityOnRestoreInstanceState(activity, saved);
    }
    SuperCalls.require(
        activity, braced(record), "onPostCreate", () -> record.inner().onPostCreate(saved));
    if (record == topRecord()) {
      resume(record);
    } else {
      show(record);
    }
  }

  private void start(Record record) {
    record.inner().performStart("start");
    record.state = State.STARTED;
  }

  private void resume(Record record) {
    if (record.activity == null) {
      create(record, record.saved, null);
      return;
    }
    if (Orientation.turn(device, record.activity.getRequestedOrientation())
        | record.state == State.STOPPED) {
      if (!takeConfiguration(record)) {
        recreate(record);
        return;
      }
    }
    if (record.state == State.STOPPED) {
      if (RuntimeEnvironment.getApiLevel() <= 33) {
        record.inner().performRestart(true, "restart");
      } else {
        record.inner().performRestart(true);
      }
      record.state = State.STARTED;
    }
    for (Object[] result : new ArrayList<>(record.results)) {
      record.results.remove(result);
      Intent data = (Intent) result[3];
      if (data != null) {
        data.setExtrasClassLoader(device.loader());
      }
      try {
        record
            .inner()
            .dispatchActivityResult(
                (String) result[0], (int) result[1], (int) result[2], data, "result");
      } catch (Exception e) {
        throw new RuntimeException(
            String.format(
                "Failure delivering result ResultInfo{who=%s, request=%s, result=%s, data=%s} to"
                    + " activity {%s}: %s",
                result[0], result[1], result[2], data, shortNameOf(record), e),
            e);
      }
    }
    for (Intent intent : new ArrayList<>(record.newIntents)) {
      record.newIntents.remove(intent);
      intent.setExtrasClassLoader(device.loader());
      instrumentation().callActivityOnNewIntent(record.activity, intent);
    }
    if (record.activity.isFinishing()) {
      return;
    }
    Unable.to(
        "resume activity " + braced(record), () -> record.inner().performResume(true, "resume"));
    record.state = State.RESUMED;
    if (RuntimeEnvironment.getApiLevel() >= 29) {
      record.inner().performTopResumedActivityChanged(true, "resume");
    }
    show(record);
    makeShownBelow();
  }

  /** Makes the activities anew that show through those above them and were let go of. */
  private void makeShownBelow() {
    for (int i = stack.size() - 1; i > 0 && isSeeThrough(stack.get(i)); i--) {
      Record below = stack.get(i - 1);
      if (below.activity == null) {
        create(below, below.saved, null);
      }
    }
  }

  /** Puts the window on screen, as the activity thread does after the first resume. */
  private static void show(Record record) {
    Activity activity = record.activity;
    if (activity.getWindow() == null) {
      return;
    }
    View decor = activity.getWindow().getDecorView();
    activity.getWindow().getAttributes().type = WindowManager.LayoutParams.TYPE_BASE_APPLICATION;
    record.inner().setDecor(decor);
    record.inner().makeVisible();
    decor.setVisibility(View.VISIBLE);
  }

  /** Pauses the activity that the user leaves for something else. */
  private void leave(Record record) {
    if (record != null && record.state == State.RESUMED) {
      instrumentation().callActivityOnUserLeaving(record.activity);
      pause(record);
    }
  }

  private void pause(Record record) {
    record.state = State.PAUSED;
    if (target() < 11) {
      save(record);
    }
    SuperCalls.require(
        record.activity,
        braced(record),
        "onPause",
        () ->
            Unable.to(
                "pause activity " + braced(record),
                () -> instrumentation().callActivityOnPause(record.activity)));
    Keyboard.leave(record.activity.getWindow().peekDecorView());
  }

  /** When an activity saves its state depends on the Android it was written for. */
  private void stopAndSave(Record record, boolean keepWindow) {
    record.state = State.STOPPED;
    if (target() >= 11 && target() < 28) {
      save(record);
    }
    performStop(record, keepWindow);
    if (target() >= 28) {
      save(record);
    }
  }

  private void save(Record record) {
    if (!record.activity.isFinishing()) {
      record.saved = new Bundle();
      instrumentation().callActivityOnSaveInstanceState(record.activity, record.saved);
    }
  }

  private void performStop(Record record, boolean keepWindow) {
    Unable.to(
        "stop activity " + braced(record), () -> record.inner().performStop(keepWindow, "stop"));
  }

  private int target() {
    return device.manifest().applicationInfo.targetSdkVersion;
  }

  private String shortNameOf(Record record) {
    return device.packageName() + "/" + record.info.name;
  }

  private String braced(Record record) {
    return "{" + shortNameOf(record) + "}";
  }

  private String nameOf(Record record) {
    return "ComponentInfo" + braced(record);
  }

  private void stopIfHidden(Record record) {
    if (record.state != State.PAUSED) {
      return;
    }
    if (!visible().contains(record.activity)) {
      stop(record);
    } else if (!takeConfiguration(record)) {
      recreate(record);
    }
  }

  private void stop(Record record) {
    stopAndSave(record, false);
    if (record.activity.getWindow() != null && record.inner().getWindowAdded()) {
      record.activity.getWindow().getDecorView().setVisibility(View.INVISIBLE);
    }
    if (!device.settings().keepsActivities && !record.activity.isFinishing()) {
      letGo(record);
    }
  }

  /**
   * Destroys a stopped activity; when it is wanted again it comes back from its parcelled state.
   */
  private void letGo(Record record) {
    Parcel state = SavedTask.writeState(record.saved, target());
    takeDown(record);
    record.activity = null;
    record.saved = SavedTask.readBundle(state, device.loader());
  }

  private void destroy(Record record) {
    stack.remove(record);
    takeDown(record);
    record.state = State.DESTROYED;
  }

  /** Brings an activity from whatever state to destroyed; its window goes with it. */
  private void takeDown(Record record) {
    if (record.activity == null) {
      return;
    }
    record.orientation = record.activity.getRequestedOrientation();
    if (record.state == State.RESUMED) {
      pause(record);
    }
    if (record.state == State.PAUSED || record.state == State.STARTED) {
      record.state = State.STOPPED;
      performStop(record, false);
    }
    SuperCalls.require(
        record.activity,
        braced(record),
        "onDestroy",
        () ->
            Unable.to(
                "destroy activity " + braced(record),
                () -> instrumentation().callActivityOnDestroy(record.activity)));
    if (record.inner().getWindowAdded()) {
      record
          .activity
          .getWindowManager()
          .removeViewImmediate(record.activity.getWindow().getDecorView());
    }
    device.windows().closeAllOf(record.activity);
    device.receivers().dropThoseOf(record.activity);
    forget(record.activity);
  }

  /**
   * Robolectric writes each activity into the process's list and leaves it there, views, themes and
   * all.
   */
  private static void forget(Activity activity) {
    Map<IBinder, ?> known =
        ReflectionHelpers.getField(RuntimeEnvironment.getActivityThread(), "mActivities");
    known.remove(activity.getActivityToken());
  }

  /**
   * Does what activities have asked for by changing themselves: finished ones go, with their
   * results, and the one below comes back. Returns whether there was anything to do.
   */
  boolean tidy() {
    if (starting > 0) {
      // The new activity comes above those that finish, so that nothing below them is resumed.
      return false;
    }
    boolean did = false;
    for (int i = stack.size() - 1; i >= 0; i--) {
      if (i >= stack.size()) {
        continue;
      }
      Record record = stack.get(i);
      if (record.activity != null && record.activity.isFinishing()) {
        TwinShadows.OfActivity shadow = Shadow.extract(record.activity);
        Recorder.task(shadow.finishToken);
        finish(record);
        Recorder.done();
        did = true;
      }
    }
    Record top = topRecord();
    if (top != null && !inBackground && top.activity != null && !top.activity.isFinishing()) {
      did |= Orientation.follow(device, top.activity);
    }
    return did;
  }

  private void finish(Record record) {
    boolean wasTop = record == topRecord();
    ShadowActivity shadow = Shadow.extract(record.activity);
    if (record.resultTo != null && record.resultTo.state != State.DESTROYED) {
      record.resultTo.results.add(
          new Object[] {
            record.resultWho, record.requestCode, shadow.getResultCode(), shadow.getResultIntent()
          });
    }
    if (record.state == State.RESUMED) {
      pause(record);
    }
    stack.remove(record);
    Record next = topRecord();
    if (wasTop && next != null && !inBackground) {
      boolean nextGoesToo = next.activity != null && next.activity.isFinishing();
      if (!nextGoesToo) {
        resume(next);
      }
    }
    takeDown(record);
    record.state = State.DESTROYED;
  }

  /** Sends the app to the background, as Home does. */
  void goHome() {
    Record top = topRecord();
    if (top == null || inBackground) {
      return;
    }
    leave(top);
    List<Activity> shown = visible();
    inBackground = true;
    for (Record record : new ArrayList<>(stack)) {
      boolean isVisible = record.state == State.PAUSED || record.state == State.STARTED;
      if (isVisible && shown.contains(record.activity)) {
        stop(record);
      }
    }
    post(this::tellHidden);
  }

  /** Tells the app that it is out of sight, as a phone does when its last window has gone. */
  private void tellHidden() {
    if (!inBackground) {
      return;
    }
    int level = ComponentCallbacks2.TRIM_MEMORY_UI_HIDDEN;
    RuntimeEnvironment.getApplication().onTrimMemory(level);
    for (Record record : new ArrayList<>(stack)) {
      if (record.activity != null) {
        record.activity.onTrimMemory(level);
      }
    }
  }

  /**
   * Since Android 12, Back keeps the activity behind the launcher icon, as Home does, if it is the
   * last one; returns whether it did.
   */
  boolean leaveByBack(IBinder token) {
    Record only = stack.size() == 1 ? stack.get(0) : null;
    if (only == null
        || only.activity == null
        || only.activity.getActivityToken() != token
        || !only.intent.hasCategory(Intent.CATEGORY_LAUNCHER)) {
      return false;
    }
    post(this::goHome);
    return true;
  }

  /** The stack for a new process; the one of this process is in the background. */
  SavedTask save() {
    SavedTask task = SavedTask.empty();
    for (Record record : stack) {
      SavedTask.SavedActivity saved = new SavedTask.SavedActivity();
      saved.info = record.info;
      saved.orientation =
          record.activity == null ? record.orientation : record.activity.getRequestedOrientation();
      saved.intent = SavedTask.write(record.intent);
      saved.state = SavedTask.writeState(record.saved, target());
      saved.resultTo = stack.indexOf(record.resultTo);
      saved.resultWho = record.resultWho;
      saved.requestCode = record.requestCode;
      for (Object[] result : record.results) {
        saved.results.add(
            new SavedTask.SavedResult(
                (String) result[0],
                (int) result[1],
                (int) result[2],
                SavedTask.write((Intent) result[3])));
      }
      for (Intent intent : record.newIntents) {
        saved.newIntents.add(SavedTask.write(intent));
      }
      task.activities.add(saved);
    }
    return task;
  }

  /** Takes over the stack of a process that is gone; its activities are made when they are seen. */
  void restore(SavedTask task) {
    for (SavedTask.SavedActivity saved : task.activities) {
      Record record = new Record(saved.info, SavedTask.readIntent(saved.intent, device.loader()));
      record.orientation = saved.orientation;
      record.state = State.STOPPED;
      record.saved = SavedTask.readBundle(saved.state, device.loader());
      record.resultTo = saved.resultTo < 0 ? null : stack.get(saved.resultTo);
      record.resultWho = saved.resultWho;
      record.requestCode = saved.requestCode;
      for (SavedTask.SavedResult result : saved.results) {
        Intent data = SavedTask.readIntent(result.data(), device.loader());
        record.results.add(
            new Object[] {result.who(), result.requestCode(), result.resultCode(), data});
      }
      for (Parcel intent : saved.newIntents) {
        record.newIntents.add(SavedTask.readIntent(intent, device.loader()));
      }
      stack.add(record);
    }
    inBackground = !stack.isEmpty();
  }

  /** Brings the app back to the front, as choosing it among the recent apps does. */
  void comeBack() {
    Record top = topRecord();
    inBackground = false;
    if (top != null && top.state != State.RESUMED) {
      resume(top);
    }
  }

  /**
   * Tells those activities of a new configuration that can be seen; the others learn of it when
   * they come back.
   */
  void configurationChanged() {
    for (Activity activity : visible()) {
      Record record = recordOf(activity);
      if (!takeConfiguration(record)) {
        recreate(record);
      }
    }
  }

  /**
   * Brings an activity up to date with the phone's configuration; false if it must be made anew for
   * that.
   */
  private static boolean takeConfiguration(Record record) {
    Configuration now = RuntimeEnvironment.getApplication().getResources().getConfiguration();
    // The size changes along with the orientation; apps before Android 3.2 do not know of it.
    int changes = record.inner().getCurrentConfig().diff(now) & ~WINDOW_CONFIGURATION;
    if (changes == 0) {
      return true;
    }
    if ((changes & ~record.info.getRealConfigChanged()) != 0) {
      return false;
    }
    Configuration configuration = new Configuration(now);
    Activity activity = record.activity;
    record.inner().getCurrentConfig().setTo(configuration);
    activity.getResources().updateConfiguration(configuration, null);
    activity.onConfigurationChanged(configuration);
    ViewRootImpl root = activity.getWindow().getDecorView().getViewRootImpl();
    if (root != null) {
      root.updateConfiguration(android.view.Display.INVALID_DISPLAY);
      Shadow.<ShadowViewRootImpl>extract(root).callDispatchResized();
    }
    return true;
  }

  /** Destroys the activity and makes it anew from its saved state. */
  private void recreate(Record record) {
    boolean wasResumed = record.state == State.RESUMED;
    if (wasResumed) {
      pause(record);
    }
    record.inner().setChangingConfigurations(true);
    if (record.state == State.PAUSED || record.state == State.STARTED) {
      stopAndSave(record, true);
    }
    Object kept = record.inner().retainNonConfigurationInstances();
    takeDown(record);
    create(record, record.saved == null ? new Bundle() : record.saved, kept);
  }

  void recreate(Activity activity) {
    Record record = recordOf(activity);
    if (record != null) {
      post(
          () -> {
            if (record.activity == activity && record.state != State.DESTROYED) {
              recreate(record);
            }
          });
    }
  }

  private boolean isSeeThrough(Record record) {
    if (record.activity == null || record.activity.getWindow() == null) {
      return false;
    }
    return ActivityInfo.isTranslucentOrFloating(record.activity.getWindow().getWindowStyle());
  }

  private Record topRecord() {
    return stack.isEmpty() ? null : stack.get(stack.size() - 1);
  }

  private Record find(String name) {
    for (int i = stack.size() - 1; i >= 0; i--) {
      if (stack.get(i).info.name.equals(name)) {
        return stack.get(i);
      }
    }
    return null;
  }

  private Record recordOf(Activity activity) {
    Activity outermost = activity;
    while (outermost != null && outermost.getParent() != null) {
      outermost = outermost.getParent();
    }
    for (Record record : stack) {
      if (record.activity == outermost && outermost != null) {
        return record;
      }
    }
    return null;
  }

  ActivityInfo infoOf(Activity activity) {
    Record record = recordOf(activity);
    return record == null ? null : record.info;
  }

  void post(Runnable work) {
    handler().post(work);
  }

  private Handler handler() {
    if (handler == null) {
      handler = new Handler(Looper.getMainLooper());
    }
    return handler;
  }

  private static Instrumentation instrumentation() {
    return org.robolectric.shadows.ShadowInstrumentation.getInstrumentation();
  }

  /** Finishes every activity of the app. */
  void finishAll() {
    for (Record record : stack) {
      if (record.activity != null) {
        record.inner().setFinished(true);
      }
    }
  }

  /** Finishes the activities that this one started with that request code. */
  void finishChildren(Activity activity, int requestCode) {
    for (Record record : stack) {
      if (record.activity != null
          && record.resultTo != null
          && record.resultTo.activity == activity
          && record.requestCode == requestCode) {
        record.inner().setFinished(true);
      }
    }
  }

  /**
   * Goes up from an activity, as the system server does: all down to the nearest one of the
   * intent's component end, and if there is none, only the activity itself. Returns whether there
   * is one.
   */
  boolean navigateUp(Activity from, Intent intent) {
    Record caller = recordOf(from);
    if (caller == null) {
      return false;
    }
    Intent copy = new Intent(intent);
    Record parent = findBelow(caller, copy.getComponent());
    starting++;
    handler()
        .postDelayed(
            () -> {
              starting--;
              goUp(caller, parent, copy);
            },
            START_MILLIS);
    return parent != null;
  }

  private Record findBelow(Record caller, ComponentName component) {
    for (int i = stack.indexOf(caller) - 1; i >= 0; i--) {
      ActivityInfo info = stack.get(i).info;
      if (new ComponentName(info.packageName, info.name).equals(component)) {
        return stack.get(i);
      }
    }
    return null;
  }

  private void goUp(Record caller, Record parent, Intent intent) {
    if (!stack.contains(caller) || (parent != null && !stack.contains(parent))) {
      return;
    }
    int last = stack.indexOf(caller);
    int first = parent == null ? last : stack.indexOf(parent) + 1;
    for (Record record : new ArrayList<>(stack.subList(first, last + 1))) {
      end(record, record == caller);
    }
    if (parent == null) {
      return;
    }
    if (parent.info.launchMode != ActivityInfo.LAUNCH_MULTIPLE
        || (intent.getFlags() & Intent.FLAG_ACTIVITY_CLEAR_TOP) != 0) {
      parent.newIntents.add(intent);
      return;
    }
    end(parent, false);
    if (caller.state == State.RESUMED) {
      pause(caller); // Before the new one comes, and without a hint of the user's leaving.
    }
    startNow(parent.info, intent, null, null, -1);
  }

  /**
   * Marks an activity for {@link #tidy} to finish; only one that ends by its own wish has a result.
   */
  private void end(Record record, boolean keepsResult) {
    if (record.activity == null) {
      destroy(record);
      return;
    }
    if (!keepsResult) {
      record.activity.setResult(Activity.RESULT_CANCELED);
    }
    record.inner().setFinished(true);
  }

  /** Whether the task was begun by an activity that does not belong with those of this affinity. */
  boolean isTaskApartFrom(String affinity) {
    return !stack.isEmpty() && !affinity.equals(stack.get(0).info.taskAffinity);
  }

  boolean isRoot(Activity activity) {
    return !stack.isEmpty() && stack.get(0) == recordOf(activity);
  }
}
