package dev.fewtaps.twin.world;

import java.io.Console;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/** The process and its surroundings as they are on a phone. */
public final class SystemHooks {
  private static final String SYSTEM = "java/lang/System";
  private static final String RUNTIME = "java/lang/Runtime";
  private static final String STRING = "Ljava/lang/String;";

  private static final StackWalker CALLER =
      StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

  private static final Map<String, String> ENVIRONMENT = environment();
  private static final Map<String, String> PROPERTIES = properties();

  private SystemHooks() {}

  private static Map<String, String> environment() {
    Map<String, String> values = new LinkedHashMap<>();
    values.put("PATH", "/sbin:/system/sbin:/system/bin:/system/xbin:/vendor/bin:/vendor/xbin");
    values.put("ANDROID_BOOTLOGO", "1");
    values.put("ANDROID_ROOT", "/system");
    values.put("ANDROID_ASSETS", "/system/app");
    values.put("ANDROID_DATA", "/data");
    values.put("ANDROID_STORAGE", "/storage");
    values.put("EXTERNAL_STORAGE", "/sdcard");
    values.put("ASEC_MOUNTPOINT", "/mnt/asec");
    return Collections.unmodifiableMap(values);
  }

  private static Map<String, String> properties() {
    Map<String, String> values = new HashMap<>();
    values.put("java.vm.name", "Dalvik");
    values.put("java.vm.version", "2.1.0");
    values.put("java.vm.vendor", "The Android Project");
    values.put("java.vm.vendor.url", "http://www.android.com/");
    values.put("java.vm.specification.name", "Dalvik Virtual Machine Specification");
    values.put("java.vm.specification.vendor", "The Android Project");
    values.put("java.vm.specification.version", "0.9");
    values.put("java.specification.name", "Dalvik Core Library");
    values.put("java.specification.vendor", "The Android Project");
    values.put("java.specification.version", "0.9");
    values.put("java.vendor", "The Android Project");
    values.put("java.vendor.url", "http://www.android.com/");
    values.put("java.runtime.name", "Android Runtime");
    values.put("java.runtime.version", "0.9");
    values.put("java.version", "0");
    values.put("java.class.version", "50.0");
    values.put("java.class.path", ".");
    values.put("java.boot.class.path", "/system/framework/core-oj.jar");
    values.put("java.ext.dirs", "");
    values.put("java.home", "/system");
    values.put("java.library.path", "/system/lib:/vendor/lib");
    values.put("java.compiler", "");
    values.put("java.net.preferIPv6Addresses", "false");
    values.put("android.vm.dexfile", "true");
    values.put("android.icu.library.version", "60.2");
    values.put("android.icu.unicode.version", "10.0");
    values.put("os.name", "Linux");
    values.put("os.version", "4.4.0");
    values.put("os.arch", "armv7l");
    values.put("user.name", "");
    values.put("user.home", "");
    values.put("user.dir", "/");
    values.put("file.separator", "/");
    values.put("path.separator", ":");
    values.put("line.separator", "\n");
    values.put("file.encoding", "UTF-8");
    values.put("http.agent", "Dalvik/2.1.0 (Linux; U; Android 9; twin Build/TWIN)");
    return values;
  }

  // ---- environment

  @Replaces(owner = SYSTEM, name = "getenv", desc = "(" + STRING + ")" + STRING)
  public static String getenv(String name) {
    return Strand.here() == null ? System.getenv(name) : ENVIRONMENT.get(name);
  }

  @Replaces(owner = SYSTEM, name = "getenv", desc = "()Ljava/util/Map;")
  public static Map<String, String> getenv() {
    return Strand.here() == null ? System.getenv() : ENVIRONMENT;
  }

  // ---- properties

  private static String property(World world, String name) {
    synchronized (world.properties) {
      if (world.properties.containsKey(name)) {
        return world.properties.get(name);
      }
    }
    if (name.equals("java.io.tmpdir")) {
      String folder = world.settings.cacheDir();
      return folder != null ? folder : "/data/local/tmp";
    }
    if (name.startsWith("user.language") || name.startsWith("user.region")) {
      return name.endsWith("language")
          ? java.util.Locale.getDefault().getLanguage()
          : java.util.Locale.getDefault().getCountry();
    }
    return PROPERTIES.get(name);
  }

  private static void checkName(String name) {
    if (name == null) {
      throw new NullPointerException("key can't be null");
    }
    if (name.isEmpty()) {
      throw new IllegalArgumentException("key can't be empty");
    }
  }

  @Replaces(owner = SYSTEM, name = "getProperty", desc = "(" + STRING + ")" + STRING)
  public static String getProperty(String name) {
    checkName(name);
    Strand me = Strand.here();
    return me == null ? System.getProperty(name) : property(me.world, name);
  }

  @Replaces(owner = SYSTEM, name = "getProperty", desc = "(" + STRING + STRING + ")" + STRING)
  public static String getProperty(String name, String otherwise) {
    String value = getProperty(name);
    return value == null ? otherwise : value;
  }

  @Replaces(owner = SYSTEM, name = "setProperty", desc = "(" + STRING + STRING + ")" + STRING)
  public static String setProperty(String name, String value) {
    checkName(name);
    Strand me = Strand.here();
    if (me == null) {
      return System.setProperty(name, value);
    }
    String before = property(me.world, name);
    synchronized (me.world.properties) {
      me.world.properties.put(name, value);
    }
    return before;
  }

  @Replaces(owner = SYSTEM, name = "clearProperty", desc = "(" + STRING + ")" + STRING)
  public static String clearProperty(String name) {
    checkName(name);
    return Strand.here() == null ? System.clearProperty(name) : setProperty(name, null);
  }

  @Replaces(owner = SYSTEM, name = "getProperties", desc = "()Ljava/util/Properties;")
  public static Properties getProperties() {
    Strand me = Strand.here();
    if (me == null) {
      return System.getProperties();
    }
    Properties all = new Properties();
    all.putAll(PROPERTIES);
    all.setProperty("java.io.tmpdir", property(me.world, "java.io.tmpdir"));
    synchronized (me.world.properties) {
      me.world.properties.forEach(
          (name, value) -> {
            if (value == null) {
              all.remove(name);
            } else {
              all.put(name, value);
            }
          });
    }
    return all;
  }

  @Replaces(owner = SYSTEM, name = "setProperties", desc = "(Ljava/util/Properties;)V")
  public static void setProperties(Properties values) {
    Strand me = Strand.here();
    if (me == null) {
      System.setProperties(values);
    } else if (values != null) {
      values.forEach((name, value) -> setProperty(String.valueOf(name), String.valueOf(value)));
    }
  }

  // ---- what belongs to the whole JVM

  /** The loader of the framework without the app: the JVM's own would give a second framework. */
  @Replaces(
      owner = "java/lang/ClassLoader",
      name = "getSystemClassLoader",
      desc = "()Ljava/lang/ClassLoader;")
  public static ClassLoader getSystemClassLoader() {
    ClassLoader jvms = ClassLoader.getSystemClassLoader();
    ClassLoader apps = CALLER.getCallerClass().getClassLoader();
    return apps == null || apps == jvms ? jvms : apps.getParent();
  }

  @Replaces(owner = SYSTEM, name = "setOut", desc = "(Ljava/io/PrintStream;)V")
  @Replaces(owner = SYSTEM, name = "setErr", desc = "(Ljava/io/PrintStream;)V")
  public static void setOut(PrintStream stream) {}

  @Replaces(owner = SYSTEM, name = "setIn", desc = "(Ljava/io/InputStream;)V")
  public static void setIn(InputStream stream) {}

  @Replaces(owner = SYSTEM, name = "console", desc = "()Ljava/io/Console;")
  public static Console console() {
    return null;
  }

  @Replaces(owner = SYSTEM, name = "setSecurityManager", desc = "(Ljava/lang/SecurityManager;)V")
  @SuppressWarnings("removal")
  public static void setSecurityManager(SecurityManager manager) {
    if (manager != null) {
      throw new SecurityException();
    }
  }

  // ---- processes

  private static Process refuse(String program, String line) throws IOException {
    Strand me = Strand.here();
    World world = me != null ? me.world : World.current();
    if (world != null) {
      world.note("tried to start a process: " + line);
    }
    throw new IOException("Cannot run program \"" + program + "\": error=13, Permission denied");
  }

  private static Process refuse(String line) throws IOException {
    if (line.trim().isEmpty()) {
      throw new IllegalArgumentException("Empty command");
    }
    return refuse(line.trim().split("\\s+")[0], line);
  }

  private static Process refuse(String[] words) throws IOException {
    if (words.length == 0) {
      throw new IndexOutOfBoundsException();
    }
    return refuse(words[0], String.join(" ", words));
  }

  @Replaces(owner = RUNTIME, name = "exec", desc = "(" + STRING + ")Ljava/lang/Process;")
  public static Process exec(Runtime runtime, String line) throws IOException {
    return refuse(line);
  }

  @Replaces(
      owner = RUNTIME,
      name = "exec",
      desc = "(" + STRING + "[" + STRING + ")Ljava/lang/Process;")
  public static Process exec(Runtime runtime, String line, String[] variables) throws IOException {
    return refuse(line);
  }

  @Replaces(
      owner = RUNTIME,
      name = "exec",
      desc = "(" + STRING + "[" + STRING + "Ljava/io/File;)Ljava/lang/Process;")
  public static Process exec(Runtime runtime, String line, String[] variables, File folder)
      throws IOException {
    return refuse(line);
  }

  @Replaces(owner = RUNTIME, name = "exec", desc = "([" + STRING + ")Ljava/lang/Process;")
  public static Process exec(Runtime runtime, String[] words) throws IOException {
    return refuse(words);
  }

  @Replaces(
      owner = RUNTIME,
      name = "exec",
      desc = "([" + STRING + "[" + STRING + ")Ljava/lang/Process;")
  public static Process exec(Runtime runtime, String[] words, String[] variables)
      throws IOException {
    return refuse(words);
  }

  @Replaces(
      owner = RUNTIME,
      name = "exec",
      desc = "([" + STRING + "[" + STRING + "Ljava/io/File;)Ljava/lang/Process;")
  public static Process exec(Runtime runtime, String[] words, String[] variables, File folder)
      throws IOException {
    return refuse(words);
  }

  @Replaces(owner = "java/lang/ProcessBuilder", name = "start", desc = "()Ljava/lang/Process;")
  public static Process start(ProcessBuilder builder) throws IOException {
    List<String> words = builder.command();
    return refuse(words.toArray(new String[0]));
  }

  /** The probes of an instrumented app are read in its process: its socket cannot be reached. */
  @Replaces(owner = "dev/fewtaps/probes/Listener", name = "begin", desc = "()V")
  public static void beginListening() {
    return;
  }
}
