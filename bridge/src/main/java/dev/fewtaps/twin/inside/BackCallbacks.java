package dev.fewtaps.twin.inside;

import android.content.Context;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.util.ReflectionHelpers;
import org.robolectric.util.ReflectionHelpers.ClassParameter;

/** Back as Android 13 and newer deliver it to apps that opted in: to a callback, not as a key. */
final class BackCallbacks {
  private static final int FIRST_LEVEL = 33;

  private BackCallbacks() {}

  /** Calls what the window has registered for Back; returns false if Back is still a key for it. */
  static boolean invoke(Windows.Window window) {
    if (RuntimeEnvironment.getApiLevel() < FIRST_LEVEL) {
      return false;
    }
    Object dispatcher =
        ReflectionHelpers.callInstanceMethod(window.root, "getOnBackInvokedDispatcher");
    boolean optedIn =
        ReflectionHelpers.callStaticMethod(
            dispatcher.getClass(),
            "isOnBackInvokedCallbackEnabled",
            ClassParameter.from(Context.class, window.view.getContext()));
    Object callback = ReflectionHelpers.callInstanceMethod(dispatcher, "getTopCallback");
    if (!optedIn || callback == null) {
      return false;
    }
    Class<?> type =
        ReflectionHelpers.loadClass(
            BackCallbacks.class.getClassLoader(), "android.window.OnBackInvokedCallback");
    ReflectionHelpers.callInstanceMethod(type, callback, "onBackInvoked");
    return true;
  }
}
