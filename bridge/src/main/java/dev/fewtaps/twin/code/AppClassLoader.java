package dev.fewtaps.twin.code;

import dev.fewtaps.twin.world.FixedHashes;
import dev.fewtaps.twin.world.Preparation;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLConnection;
import java.net.URLStreamHandler;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Loads an app's classes from its APK, before the parent's; a new one is a new process.
 *
 * <p>What the Java platform and the Android framework define stays theirs, even if the APK has its
 * own copy. Classes that neither the APK nor the parent has are looked for in the fallback jars.
 */
public final class AppClassLoader extends ClassLoader {
  /** The packages of a phone's own class path; the rest of the parent is hidden from the app. */
  private static final List<String> PHONE =
      List.of(
          "java.",
          "javax.",
          "jdk.",
          "sun.",
          "dalvik.",
          "libcore.",
          "android.",
          "com.android.",
          "com.sun.",
          "org.json.",
          "org.w3c.dom.",
          "org.xml.sax.",
          "org.xmlpull.v1.",
          "org.apache.http.",
          "org.apache.harmony.",
          "org.ietf.",
          "dev.fewtaps.twin.",
          "org.robolectric.");

  /** Packages of which an app may carry a part while the phone has another. */
  private static final List<String> SHARED =
      List.of("android.support.", "android.arch.", "com.android.");

  /**
   * Packages of which the phone has what its class files say. In those of the framework the twin's
   * parent loader makes up what is missing. Of {@code org.apache.http} the phone has a few classes,
   * which come first as on a phone: they refer to each other, so none can be the app's copy.
   */
  private static final List<String> FRAMEWORK =
      List.of("android.", "com.android.", "dalvik.", "libcore.", "org.apache.http.");

  private static final Map<String, Boolean> KNOWN = new ConcurrentHashMap<>();

  static {
    registerAsParallelCapable();
  }

  private final AppCode code;
  private final Transform transform;
  private final Jars fallback;

  /** Makes a loader whose classes pass through {@code transform} before they are defined. */
  public AppClassLoader(
      AppCode code, ClassLoader parent, List<Path> fallbackJars, Transform transform) {
    super("app", parent);
    this.code = code;
    this.transform = transform;
    this.fallback = new Jars(fallbackJars);
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    synchronized (getClassLoadingLock(name)) {
      Class<?> type = findLoadedClass(name);
      if (type == null) {
        type = find(name);
      }
      if (resolve) {
        resolveClass(type);
      }
      return type;
    }
  }

  private Class<?> find(String name) throws ClassNotFoundException {
    boolean inApp = code.hasClass(name);
    if (isPhones(name, inApp, getParent())) {
      try {
        return getParent().loadClass(name);
      } catch (ClassNotFoundException e) {
        return define(name, inApp);
      }
    }
    return define(name, inApp);
  }

  /** Whether a class is the app's and comes from its APK; the phone's own classes come first. */
  static boolean comesFromApk(String name, AppCode code, ClassLoader parent) {
    return code.hasClass(name) && !isPhones(name, true, parent);
  }

  private static boolean isPhones(String name, boolean inApp, ClassLoader parent) {
    return isOnPhone(name)
        && parentHas(name, parent)
        && !(inApp && startsWith(name, SHARED) && !isFramework(name));
  }

  /**
   * The parent answers for framework classes that this Android lacks with empty ones, which serve
   * the twin alone: what has no class file is not on the phone.
   */
  private static boolean parentHas(String name, ClassLoader parent) {
    return !startsWith(name, FRAMEWORK)
        || KNOWN.computeIfAbsent(
            name, n -> parent.getResource(n.replace('.', '/') + ".class") != null);
  }

  private static boolean isFramework(String name) {
    return name.startsWith("com.android.internal.");
  }

  private static boolean isOnPhone(String name) {
    if (!startsWith(name, PHONE)) {
      return false;
    }
    if (name.startsWith("javax.") && !name.startsWith("javax.microedition.")) {
      // The twin's libraries bring javax.inject and the like, which no phone has.
      String path = name.replace('.', '/') + ".class";
      return ClassLoader.getPlatformClassLoader().getResource(path) != null;
    }
    return true;
  }

  private Class<?> define(String name, boolean inApp) throws ClassNotFoundException {
    byte[] ready = transform.recall(name);
    if (ready == null) {
      Preparation.begin();
      try {
        ready = prepare(name, inApp);
      } finally {
        Preparation.end();
      }
    }
    definePackageOf(name);
    Class<?> type = defineClass(name, ready, 0, ready.length);
    FixedHashes.give(type);
    return type;
  }

  private byte[] prepare(String name, boolean inApp) throws ClassNotFoundException {
    byte[] bytes = inApp ? code.bytes(name) : fallback.read(name.replace('.', '/') + ".class");
    if (bytes == null) {
      throw new ClassNotFoundException(inApp ? name + " could not be translated from DEX" : name);
    }
    return transform.apply(name, bytes);
  }

  private void definePackageOf(String name) {
    int dot = name.lastIndexOf('.');
    String packageName = dot < 0 ? "" : name.substring(0, dot);
    if (!packageName.isEmpty() && getDefinedPackage(packageName) == null) {
      try {
        definePackage(packageName, null, null, null, null, null, null, null);
      } catch (IllegalArgumentException e) {
        // Another thread was first.
      }
    }
  }

  private static boolean startsWith(String name, List<String> prefixes) {
    for (String prefix : prefixes) {
      if (name.startsWith(prefix)) {
        return true;
      }
    }
    return false;
  }

  @Override
  public URL getResource(String name) {
    URL own = findResource(name);
    return own != null || isPrivateToHost(name) ? own : getParent().getResource(name);
  }

  @Override
  public Enumeration<URL> getResources(String name) throws IOException {
    List<URL> all = new ArrayList<>(Collections.list(findResources(name)));
    if (!isPrivateToHost(name)) {
      all.addAll(Collections.list(getParent().getResources(name)));
    }
    return Collections.enumeration(all);
  }

  /** The services of the twin's own libraries would name classes that the app cannot see. */
  private static boolean isPrivateToHost(String name) {
    return name.startsWith("META-INF/");
  }

  @Override
  protected URL findResource(String name) {
    return code.hasResource(name) || fallback.has(name) ? url(name) : null;
  }

  @Override
  protected Enumeration<URL> findResources(String name) {
    URL own = findResource(name);
    return Collections.enumeration(own == null ? List.of() : List.of(own));
  }

  private URL url(String name) {
    try {
      // Served from the open APK: "jar:" URLs would keep a second one open for ever.
      String path = new URI("apk", null, "/" + name, null).getRawPath();
      return new URL("apk", "", -1, path, new ApkHandler(name));
    } catch (URISyntaxException | MalformedURLException e) {
      return null;
    }
  }

  /** Opens one file of the APK. */
  private final class ApkHandler extends URLStreamHandler {
    private final String name;

    ApkHandler(String name) {
      this.name = name;
    }

    @Override
    protected URLConnection openConnection(URL url) {
      return new URLConnection(url) {
        @Override
        public void connect() {}

        @Override
        public InputStream getInputStream() throws IOException {
          byte[] bytes = code.hasResource(name) ? code.resource(name) : fallback.read(name);
          if (bytes == null) {
            throw new IOException("no " + name + " in the APK");
          }
          return new ByteArrayInputStream(bytes);
        }
      };
    }
  }
}
