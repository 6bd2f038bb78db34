package dev.fewtaps.twin.inside;

import android.content.ContentResolver;
import android.content.pm.PackageInfo;
import android.graphics.Rect;
import android.os.Bundle;
import android.view.KeyEvent;
import android.view.MotionEvent;
import android.view.ViewGroup;
import android.webkit.CookieManager;
import android.webkit.GeolocationPermissions;
import android.webkit.ServiceWorkerClient;
import android.webkit.ServiceWorkerController;
import android.webkit.ServiceWorkerWebSettings;
import android.webkit.TracingConfig;
import android.webkit.TracingController;
import android.webkit.ValueCallback;
import android.webkit.WebIconDatabase;
import android.webkit.WebStorage;
import android.webkit.WebView;
import android.webkit.WebViewDatabase;
import android.webkit.WebViewFactoryProvider;
import android.webkit.WebViewProvider;
import java.io.OutputStream;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.concurrent.Executor;
import org.robolectric.fakes.RoboWebSettings;
import org.robolectric.util.ReflectionHelpers;

/** The parts of a browser engine that an app asks for; a {@link WebBrowser} loads pages. */
final class WebParts {
  private WebParts() {}

  /** The app that the engine of a phone is; apps look whether it is new enough. */
  static PackageInfo enginePackage() {
    PackageInfo engine = new PackageInfo();
    engine.packageName = "com.google.android.webview";
    engine.versionName = "138.0.7204.179";
    engine.versionCode = 720417934;
    return engine;
  }

  /** The engine as the framework sees it. */
  static WebViewFactoryProvider provider() {
    return proxy(WebViewFactoryProvider.class, WebParts::part);
  }

  private static Object part(Object proxy, Method method, Object[] arguments) {
    switch (method.getName()) {
      case "getStatics":
        return proxy(WebViewFactoryProvider.Statics.class, WebParts::statics);
      case "createWebView":
        return viewProvider((WebView) arguments[0]);
      case "getGeolocationPermissions":
        return new GeolocationPermissions();
      case "getCookieManager":
        return CookieManager.getInstance();
      case "getTracingController":
        return new Tracing();
      case "getServiceWorkerController":
        return new ServiceWorkers();
      case "getWebIconDatabase":
        return new Icons();
      case "getWebStorage":
        return WebStorage.getInstance();
      case "getWebViewDatabase":
        return WebViewDatabase.getInstance(null);
      case "getWebViewClassLoader":
        return WebView.class.getClassLoader();
      default:
        return nothing(proxy, method, arguments);
    }
  }

  @SuppressWarnings("unchecked")
  private static Object statics(Object proxy, Method method, Object[] arguments) {
    switch (method.getName()) {
      case "getDefaultUserAgent":
        return RoboWebSettings.getDefaultUserAgent();
      case "clearClientCertPreferences":
        if (arguments[0] != null) {
          ((Runnable) arguments[0]).run();
        }
        return null;
      case "initSafeBrowsing":
      case "setSafeBrowsingWhitelist":
        if (arguments[1] != null) {
          ((ValueCallback<Boolean>) arguments[1]).onReceiveValue(false);
        }
        return null;
      default:
        return nothing(proxy, method, arguments);
    }
  }

  /** Returns a web view's implementation: a browser in a view. */
  private static WebViewProvider viewProvider(WebView web) {
    WebView.PrivateAccess plain = web.new PrivateAccess();
    WebBrowser browser = new WebBrowser(web);
    WebViewProvider.ViewDelegate delegate =
        proxy(
            WebViewProvider.ViewDelegate.class,
            (proxy, method, arguments) ->
                method.getName().equals("setBackgroundColor")
                    ? browser.call("setBackgroundColor", arguments)
                    : asView(plain, proxy, method, arguments));
    return proxy(
        WebViewProvider.class,
        (proxy, method, arguments) -> {
          if (method.getName().equals("getViewDelegate")) {
            return delegate;
          }
          Object answer = browser.call(method.getName(), arguments);
          return answer == WebBrowser.UNKNOWN ? nothing(proxy, method, arguments) : answer;
        });
  }

  private static Object asView(
      WebView.PrivateAccess plain, Object proxy, Method method, Object[] arguments)
      throws Throwable {
    switch (method.getName()) {
      case "getHandler":
      case "findFocus":
        return arguments[0]; // The answer of any other view.
      case "onTouchEvent":
        return true;
      case "setFrame":
        return plain.super_setFrame(
            (Integer) arguments[0],
            (Integer) arguments[1],
            (Integer) arguments[2],
            (Integer) arguments[3]);
      case "setLayoutParams":
        plain.super_setLayoutParams((ViewGroup.LayoutParams) arguments[0]);
        return null;
      case "dispatchKeyEvent":
        return plain.super_dispatchKeyEvent((KeyEvent) arguments[0]);
      case "requestFocus":
        return plain.super_requestFocus((Integer) arguments[0], (Rect) arguments[1]);
      case "performLongClick":
        return plain.super_performLongClick();
      case "performAccessibilityAction":
        return plain.super_performAccessibilityAction(
            (Integer) arguments[0], (Bundle) arguments[1]);
      case "onGenericMotionEvent":
        return plain.super_onGenericMotionEvent((MotionEvent) arguments[0]);
      case "onHoverEvent":
        return plain.super_onHoverEvent((MotionEvent) arguments[0]);
      default:
        return nothing(proxy, method, arguments);
    }
  }

  private static Object nothing(Object proxy, Method method, Object[] arguments) {
    switch (method.getName()) {
      case "hashCode":
        return 1;
      case "equals":
        return proxy == arguments[0];
      case "toString":
        return "web engine";
      default:
        Class<?> type = method.getReturnType();
        return type.isInterface()
            ? ReflectionHelpers.createDeepProxy(type)
            : ReflectionHelpers.defaultValueForType(type.getName());
    }
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }

  private static final class Tracing extends TracingController {
    @Override
    public void start(TracingConfig configuration) {}

    @Override
    public boolean stop(OutputStream out, Executor executor) {
      return false;
    }

    @Override
    public boolean isTracing() {
      return false;
    }
  }

  private static final class ServiceWorkers extends ServiceWorkerController {
    @Override
    public ServiceWorkerWebSettings getServiceWorkerWebSettings() {
      return new ServiceWorkerSettings();
    }

    @Override
    public void setServiceWorkerClient(ServiceWorkerClient client) {}
  }

  private static final class ServiceWorkerSettings extends ServiceWorkerWebSettings {
    private int cacheMode = -1;
    private boolean content;
    private boolean files;
    private boolean noNetwork;

    @Override
    public void setCacheMode(int mode) {
      cacheMode = mode;
    }

    @Override
    public int getCacheMode() {
      return cacheMode;
    }

    @Override
    public void setAllowContentAccess(boolean allow) {
      content = allow;
    }

    @Override
    public boolean getAllowContentAccess() {
      return content;
    }

    @Override
    public void setAllowFileAccess(boolean allow) {
      files = allow;
    }

    @Override
    public boolean getAllowFileAccess() {
      return files;
    }

    @Override
    public void setBlockNetworkLoads(boolean block) {
      noNetwork = block;
    }

    @Override
    public boolean getBlockNetworkLoads() {
      return noNetwork;
    }
  }

  private static final class Icons extends WebIconDatabase {
    @Override
    public void open(String path) {}

    @Override
    public void close() {}

    @Override
    public void removeAllIcons() {}

    @Override
    public void requestIconForPageUrl(String url, IconListener listener) {}

    @Override
    public void bulkRequestIconForPageUrl(
        ContentResolver resolver, String where, IconListener listener) {}

    @Override
    public void retainIconForPageUrl(String url) {}

    @Override
    public void releaseIconForPageUrl(String url) {}
  }
}
