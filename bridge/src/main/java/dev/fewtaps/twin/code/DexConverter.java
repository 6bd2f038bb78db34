package dev.fewtaps.twin.code;

import java.lang.reflect.InvocationTargetException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.objectweb.asm.Opcodes;

/**
 * Translates the classes of DEX files into JVM classes, one class at a time and only when asked.
 *
 * <p>The same class always gives the same bytes. A method that cannot be translated is replaced by
 * one that throws, and noted; the rest of its class goes on. Safe for use by several threads.
 */
public final class DexConverter {
  private static final RepeatableLoader LOADER =
      new RepeatableLoader(DexConverter.class.getClassLoader());

  private final Engine engine;

  /** Opens DEX files, in the order in which Android searches them. */
  public DexConverter(List<byte[]> dexFiles) {
    this(dexFiles, false);
  }

  /**
   * Opens DEX files.
   *
   * @param keepsLines whether assignments of constants and copies stay where they are, so that
   *     their lines have code
   */
  public DexConverter(List<byte[]> dexFiles, boolean keepsLines) {
    try {
      Class<?> type = LOADER.loadClass(DexConverter.class.getPackageName() + ".DexTranslator");
      engine =
          (Engine) type.getConstructor(List.class, boolean.class).newInstance(dexFiles, keepsLines);
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw new IllegalStateException(e.getCause());
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Part of every cache key: another one may translate the same DEX into other bytes. */
  public static String version() {
    return Fingerprint.of(
        List.of(
            "RepeatableLoader", "Sequence", "ConstructorCalls", "PartedMethod", "DexTranslator"),
        "dex2jar 2.4.38");
  }

  /** Returns the internal names of all classes, those of the first DEX file first. */
  public List<String> classNames() {
    return engine.classNames();
  }

  /** Returns what a class says of itself and its parents, or null for one that is not here. */
  public ClassHead head(String internalName) {
    return engine.head(internalName);
  }

  /**
   * Returns the access flags of the methods that a class declares, by name and descriptor, or null
   * for a class that is not here.
   */
  public Map<String, Integer> methods(String internalName) {
    return engine.methods(internalName);
  }

  /** Returns the classes that a class mentions, or null for one that is not here. */
  public References references(String internalName) {
    return engine.references(internalName);
  }

  /** Translates one class, which must be one of {@link #classNames}. */
  public Converted convert(String internalName) {
    Sequence.restart();
    return engine.convert(internalName);
  }

  /** The part that knows dex2jar. */
  public interface Engine {
    /** As {@link DexConverter#classNames}. */
    List<String> classNames();

    /** As {@link DexConverter#head}. */
    ClassHead head(String internalName);

    /** As {@link DexConverter#methods}. */
    Map<String, Integer> methods(String internalName);

    /** As {@link DexConverter#references}. */
    References references(String internalName);

    /** As {@link DexConverter#convert}. */
    Converted convert(String internalName);
  }

  /** A translated class; {@code bytes} is null if nothing of it could be translated. */
  public record Converted(byte[] bytes, List<String> notes) {}

  /**
   * The classes (internal names) that a class mentions.
   *
   * @param shape as its parents, and as types of its fields and methods
   * @param code in its code
   * @param checks those of static methods that take an object and a text, as the checks do that
   *     Kotlin's compiler puts in
   * @param makesChecks whether it has the texts of those checks
   */
  public record References(
      Set<String> shape, Set<String> code, Set<String> checks, boolean makesChecks) {}

  /** Access flags, parent and interfaces (internal names) of a class. */
  public record ClassHead(int access, String parent, List<String> interfaces) {
    /** Whether this is an interface. */
    public boolean isInterface() {
      return (access & Opcodes.ACC_INTERFACE) != 0;
    }
  }
}
