"""As much of androidx.test as the instrumented tests use: enough to compile them without Google's repository.

The signatures are those of uiautomator 2.3, espresso-core 3.7, monitor 1.8 and ext:junit 1.2.
"""

from __future__ import annotations

from pathlib import Path

SOURCES = {
    "androidx/test/espresso/Espresso.java": """
package androidx.test.espresso;
public final class Espresso { public static void onIdle() {} }
""",
    "androidx/test/ext/junit/runners/AndroidJUnit4.java": """
package androidx.test.ext.junit.runners;
public final class AndroidJUnit4 extends org.junit.runner.Runner {
  public AndroidJUnit4(Class<?> type) {}
  public org.junit.runner.Description getDescription() { return null; }
  public void run(org.junit.runner.notification.RunNotifier notifier) {}
}
""",
    "androidx/test/runner/lifecycle/Stage.java": """
package androidx.test.runner.lifecycle;
public enum Stage { RESUMED }
""",
    "androidx/test/runner/lifecycle/ActivityLifecycleMonitor.java": """
package androidx.test.runner.lifecycle;
public interface ActivityLifecycleMonitor {
  java.util.Collection<android.app.Activity> getActivitiesInStage(Stage stage);
}
""",
    "androidx/test/runner/lifecycle/ActivityLifecycleMonitorRegistry.java": """
package androidx.test.runner.lifecycle;
public final class ActivityLifecycleMonitorRegistry {
  public static ActivityLifecycleMonitor getInstance() { return null; }
}
""",
    "androidx/test/uiautomator/BySelector.java": """
package androidx.test.uiautomator;
public class BySelector { public BySelector depth(int depth) { return this; } }
""",
    "androidx/test/uiautomator/By.java": """
package androidx.test.uiautomator;
public class By {
  public static BySelector pkg(String name) { return null; }
  public static BySelector res(java.util.regex.Pattern name) { return null; }
  public static BySelector text(java.util.regex.Pattern pattern) { return null; }
  public static BySelector desc(java.util.regex.Pattern pattern) { return null; }
  public static BySelector clazz(String name) { return null; }
  public static BySelector focused(boolean focused) { return null; }
}
""",
    "androidx/test/uiautomator/SearchCondition.java": """
package androidx.test.uiautomator;
public interface SearchCondition<U> {}
""",
    "androidx/test/uiautomator/Until.java": """
package androidx.test.uiautomator;
public class Until { public static SearchCondition<Boolean> hasObject(BySelector selector) { return null; } }
""",
    "androidx/test/uiautomator/UiObject2.java": """
package androidx.test.uiautomator;
public class UiObject2 {
  public String getText() { return null; }
  public void setText(String text) {}
  public String getContentDescription() { return null; }
  public android.graphics.Point getVisibleCenter() { return null; }
  public boolean hasObject(BySelector selector) { return false; }
  public boolean isChecked() { return false; }
}
""",
    "androidx/test/uiautomator/UiDevice.java": """
package androidx.test.uiautomator;
public class UiDevice {
  public static UiDevice getInstance(android.app.Instrumentation instrumentation) { return null; }
  public boolean click(int x, int y) { return false; }
  public boolean swipe(int x1, int y1, int x2, int y2, int steps) { return false; }
  public boolean drag(int x1, int y1, int x2, int y2, int steps) { return false; }
  public boolean pressKeyCode(int code) { return false; }
  public String getCurrentPackageName() { return null; }
  public UiObject2 findObject(BySelector selector) { return null; }
  public java.util.List<UiObject2> findObjects(BySelector selector) { return null; }
  public <U> U wait(SearchCondition<U> condition, long timeout) { return null; }
  public void waitForIdle() {}
  public void unfreezeRotation() throws android.os.RemoteException {}
  public void setOrientationLeft() throws android.os.RemoteException {}
  public void setOrientationRight() throws android.os.RemoteException {}
  public void setOrientationNatural() throws android.os.RemoteException {}
  public String executeShellCommand(String command) throws java.io.IOException { return null; }
}
""",
}


def write_sources(folder: Path) -> list[Path]:
    """Writes them out for a compiler."""
    for name, content in SOURCES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content, "utf-8")
    return [folder / name for name in SOURCES]
