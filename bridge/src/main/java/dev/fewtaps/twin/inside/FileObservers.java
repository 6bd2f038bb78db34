package dev.fewtaps.twin.inside;

import android.os.FileObserver;
import dev.fewtaps.twin.world.FileHooks;
import dev.fewtaps.twin.world.WorldTimer;
import java.io.File;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TimerTask;
import java.util.TreeMap;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.annotation.RealObject;

/**
 * Watches files for an app by looking at them again and again on the virtual clock.
 *
 * <p>The host's own watching would tell changes at moments that differ from run to run, and its
 * instances are few.
 */
public final class FileObservers {
  /** Virtual time between two looks: a phone tells a change at once. */
  private static final long PERIOD_MILLIS = 100;

  private final List<OfFileObserver> watching = new ArrayList<>();
  private WorldTimer timer;

  static Class<?>[] all() {
    return new Class<?>[] {OfFileObserver.class};
  }

  private synchronized void add(OfFileObserver observer) {
    if (!watching.contains(observer)) {
      watching.add(observer);
    }
    if (timer == null) {
      timer = new WorldTimer("FileObserver");
      timer.schedule(
          new TimerTask() {
            @Override
            public void run() {
              look();
            }
          },
          PERIOD_MILLIS,
          PERIOD_MILLIS);
    }
  }

  private synchronized void remove(OfFileObserver observer) {
    watching.remove(observer);
    if (watching.isEmpty() && timer != null) {
      timer.cancel();
      timer = null;
    }
  }

  private void look() {
    List<OfFileObserver> observers;
    synchronized (this) {
      observers = List.copyOf(watching);
    }
    observers.forEach(OfFileObserver::look);
  }

  /** An observer that takes nothing from the host. */
  @Implements(value = FileObserver.class, isInAndroidSdk = false)
  public static class OfFileObserver {
    @RealObject private FileObserver real;
    private List<File> files = List.of();
    private int mask;
    private final Map<File, Map<String, String>> seen = new TreeMap<>();
    private FileObservers observers;

    @Implementation
    protected void __constructor__(String path, int mask) {
      this.files = List.of(new File(path));
      this.mask = mask;
    }

    @Implementation(minSdk = 29)
    protected void __constructor__(List<File> files, int mask) {
      this.files = List.copyOf(files);
      this.mask = mask;
    }

    @Override
    @Implementation
    protected void finalize() {
      // Nothing of the host's has to be given back.
    }

    @Implementation
    protected void startWatching() {
      if (observers == null) {
        files.forEach(file -> seen.put(file, contents(file)));
        observers = Device.current().fileObservers();
        observers.add(this);
      }
    }

    @Implementation
    protected void stopWatching() {
      if (observers != null) {
        observers.remove(this);
        observers = null;
      }
    }

    /** Returns what can be told apart of a file, or of each file of a folder. */
    private static Map<String, String> contents(File file) {
      Map<String, String> contents = new TreeMap<>();
      String[] names = FileHooks.list(file);
      if (names != null) {
        for (String name : names) {
          contents.put(name, stateOf(new File(file, name)));
        }
      } else if (FileHooks.exists(file)) {
        contents.put("", stateOf(file));
      }
      return contents;
    }

    private static String stateOf(File file) {
      return FileHooks.isDirectory(file)
          ? "folder"
          : FileHooks.length(file) + " " + FileHooks.lastModified(file);
    }

    private void look() {
      for (File file : files) {
        Map<String, String> before = seen.get(file);
        Map<String, String> now = contents(file);
        seen.put(file, now);
        before.keySet().stream()
            .filter(name -> !now.containsKey(name))
            .forEach(
                name ->
                    tell(name.isEmpty() ? FileObserver.DELETE_SELF : FileObserver.DELETE, name));
        now.forEach((name, state) -> compare(name, before.get(name), state));
      }
    }

    private void compare(String name, String before, String now) {
      if (before == null && !name.isEmpty()) {
        tell(FileObserver.CREATE, name);
      }
      if (!now.equals(before) && !now.equals("folder")) {
        tell(FileObserver.MODIFY, name);
        tell(FileObserver.CLOSE_WRITE, name);
      }
    }

    private void tell(int event, String name) {
      if (observers != null && (event & mask) != 0) {
        real.onEvent(event, name.isEmpty() ? null : name);
      }
    }
  }
}
