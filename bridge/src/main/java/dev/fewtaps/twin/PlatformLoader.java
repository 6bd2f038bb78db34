package dev.fewtaps.twin;

import dev.fewtaps.twin.world.FixedHashes;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import javax.inject.Named;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Opcodes;
import org.robolectric.internal.AndroidSandbox;
import org.robolectric.internal.bytecode.ClassInstrumentor;
import org.robolectric.internal.bytecode.InstrumentationConfiguration;
import org.robolectric.pluginapi.Sdk;

/**
 * Loads the framework; framework classes that this Android does not have yet are there as empty
 * ones.
 *
 * <p>Robolectric's shadows name classes of the newest Android in their signatures, and the JVM
 * wants to load them all to list a shadow's methods. Apps never see the empty ones: their loader
 * asks for the class file first.
 */
public final class PlatformLoader extends AndroidSandbox.SdkSandboxClassLoader {
  private static final String[] PLATFORM = {
    "android/", "com/android/", "dalvik/", "libcore/", "java/", "sun/misc/"
  };
  private static final String[] LIBRARIES = {"android/support/", "android/arch/"};

  private final ClassLoader classPath = PlatformLoader.class.getClassLoader();

  public PlatformLoader(
      InstrumentationConfiguration configuration,
      @Named("runtimeSdk") Sdk runtimeSdk,
      ClassInstrumentor instrumentor) {
    super(configuration, runtimeSdk, instrumentor);
  }

  @Override
  public Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    Class<?> type = load(name, resolve);
    FixedHashes.give(type);
    return type;
  }

  private Class<?> load(String name, boolean resolve) throws ClassNotFoundException {
    if (!PlatformCalls.concern(name)) {
      return super.loadClass(name, resolve);
    }
    synchronized (getClassLoadingLock(name)) {
      Class<?> loaded = findLoadedClass(name);
      byte[] led = loaded == null ? led(name) : null;
      if (led == null) {
        return super.loadClass(name, resolve);
      }
      String folder = name.substring(0, name.lastIndexOf('.'));
      if (getDefinedPackage(folder) == null) {
        definePackage(folder, null, null, null, null, null, null, null);
      }
      return defineClass(name, led, 0, led.length);
    }
  }

  /**
   * The class of an Android that Robolectric has prepared in its jar already, with calls led
   * elsewhere; null if nothing is to be changed.
   */
  private byte[] led(String name) throws ClassNotFoundException {
    try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
      return in == null ? null : PlatformCalls.led(in.readAllBytes());
    } catch (IOException e) {
      throw new ClassNotFoundException(name, e);
    }
  }

  @Override
  protected InputStream getClassBytesFromAlternateClassLoader(String path) {
    if (!startsWithAny(path, PLATFORM)
        || startsWithAny(path, LIBRARIES)
        || isAskedByName()
        || classPath.getResource(path) != null) {
      return null;
    }
    return new ByteArrayInputStream(empty(path.substring(0, path.length() - ".class".length())));
  }

  /**
   * Code that asks by name wants to know whether the class is there; the JVM's linker does not ask
   * so, and Robolectric itself asks by name only for what its shadows mention.
   */
  private static boolean isAskedByName() {
    List<StackWalker.StackFrame> asking =
        StackWalker.getInstance()
            .walk(frames -> frames.limit(40).dropWhile(PlatformLoader::isLoading).toList());
    int depth = 0;
    while (depth < asking.size() && isForName(asking.get(depth))) {
      depth++;
    }
    if (depth == 0 || depth == asking.size()) {
      return false;
    }
    String asker = asking.get(depth).getClassName();
    return asker.startsWith("org.robolectric.shadows.")
        || (!asker.startsWith("sun.reflect.") && !asker.startsWith("org.robolectric."));
  }

  private static boolean isLoading(StackWalker.StackFrame frame) {
    String name = frame.getClassName();
    return name.endsWith("ClassLoader")
        || name.equals(PlatformLoader.class.getName())
        || name.equals("org.robolectric.util.PerfStatsCollector");
  }

  private static boolean isForName(StackWalker.StackFrame frame) {
    return frame.getClassName().equals("java.lang.Class")
        && frame.getMethodName().startsWith("forName");
  }

  private static boolean startsWithAny(String path, String[] prefixes) {
    for (String prefix : prefixes) {
      if (path.startsWith(prefix)) {
        return true;
      }
    }
    return false;
  }

  private static byte[] empty(String internalName) {
    ClassWriter writer = new ClassWriter(0);
    writer.visit(
        Opcodes.V1_8,
        Opcodes.ACC_PUBLIC | Opcodes.ACC_ABSTRACT | Opcodes.ACC_INTERFACE,
        internalName,
        null,
        "java/lang/Object",
        null);
    writer.visitEnd();
    return writer.toByteArray();
  }
}
