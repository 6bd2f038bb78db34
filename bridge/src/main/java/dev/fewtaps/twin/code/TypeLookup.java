package dev.fewtaps.twin.code;

import dev.fewtaps.twin.code.DexConverter.ClassHead;
import java.lang.reflect.Constructor;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.objectweb.asm.Type;

/**
 * Answers questions about classes by internal name, from the APK where it has them and from the
 * parent loader otherwise, without initialising any.
 */
final class TypeLookup {
  private static final String OBJECT = "java/lang/Object";
  private static final String CONSTRUCTOR = "<init>";

  private final AppCode code;
  private final ClassLoader parent;
  private final Map<String, Boolean> interfaces = new ConcurrentHashMap<>();
  private final Map<String, Boolean> subtypes = new ConcurrentHashMap<>();

  TypeLookup(AppCode code, ClassLoader parent) {
    this.code = code;
    this.parent = parent;
  }

  /** Whether a class is an interface; of the framework's, only those of the JDK are known. */
  boolean isInterface(String name) {
    if (name.startsWith("[")) {
      return false;
    }
    return interfaces.computeIfAbsent(name, this::findInterface);
  }

  private boolean findInterface(String name) {
    ClassHead head = headOf(name);
    if (head != null) {
      return head.isInterface();
    }
    if (!name.startsWith("java")) {
      return false;
    }
    Class<?> type = load(name, ClassLoader.getPlatformClassLoader());
    return type != null && type.isInterface();
  }

  /**
   * Whether a class that another inherits from is an interface. It may be the framework's: it is
   * loaded before the class that inherits from it anyway.
   */
  boolean isInheritedInterface(String name) {
    if (isInterface(name) || headOf(name) != null || name.startsWith("[")) {
      return isInterface(name);
    }
    Class<?> type = load(name, parent);
    return type != null && type.isInterface();
  }

  /** Whether {@code name} is {@code ancestor} or extends or implements it. */
  boolean isSubtype(String name, String ancestor) {
    if (name.equals(ancestor) || ancestor.equals(OBJECT)) {
      return true;
    }
    Boolean known = subtypes.get(name + ":" + ancestor);
    if (known == null) {
      known = findSubtype(name, ancestor);
      subtypes.put(name + ":" + ancestor, known);
    }
    return known;
  }

  private boolean findSubtype(String name, String ancestor) {
    ClassHead head = headOf(name);
    if (head != null) {
      if (head.parent() != null && isSubtype(head.parent(), ancestor)) {
        return true;
      }
      for (String type : head.interfaces()) {
        if (isSubtype(type, ancestor)) {
          return true;
        }
      }
      return false;
    }
    if (name.startsWith("[") || name.equals(OBJECT)) {
      return false;
    }
    Class<?> type = load(name, parent);
    Class<?> wanted = type == null ? null : load(ancestor, parent);
    return wanted != null && wanted.isAssignableFrom(type);
  }

  /** Whether a class of the APK between {@code name} and {@code ancestor} overrides a method. */
  boolean isOverridden(String name, String ancestor, String method, String desc) {
    for (String type = name; type != null && !type.equals(ancestor); ) {
      ClassHead head = headOf(type);
      if (head == null) {
        return false;
      }
      if (declares(type, method, desc)) {
        return true;
      }
      type = head.parent();
    }
    return false;
  }

  /** Whether objects of a class outside the APK have the hash code that Object gives them. */
  boolean hasDefaultHash(String name) {
    if (name.equals(OBJECT)) {
      return true;
    }
    if (headOf(name) != null) {
      return false;
    }
    Class<?> type = load(name, parent);
    try {
      return type != null && type.getMethod("hashCode").getDeclaringClass() == Object.class;
    } catch (NoSuchMethodException | LinkageError e) {
      return false;
    }
  }

  private boolean declares(String name, String method, String desc) {
    return code.methods(name.replace('/', '.')).containsKey(method + desc);
  }

  /**
   * Returns the class whose constructor ART calls where {@code name} is asked for one: the nearest
   * that declares it, {@code name} itself if there is none.
   */
  String constructorOwner(String name, String desc) {
    String type = name;
    for (ClassHead head = headOf(type); head != null; head = headOf(type)) {
      if (declares(type, CONSTRUCTOR, desc)) {
        return type;
      }
      type = head.parent();
      if (type == null) {
        return name;
      }
    }
    if (type.equals(name)) {
      return name;
    }
    for (Class<?> outside = load(type, parent); outside != null; ) {
      for (Constructor<?> constructor : constructors(outside)) {
        if (Type.getConstructorDescriptor(constructor).equals(desc)) {
          return Type.getInternalName(outside);
        }
      }
      outside = outside.getSuperclass();
    }
    return name;
  }

  private static Constructor<?>[] constructors(Class<?> type) {
    try {
      return type.getDeclaredConstructors();
    } catch (LinkageError e) {
      return new Constructor<?>[0];
    }
  }

  /** Adds all interfaces that a class implements, whether it names them or inherits them. */
  void addInterfaces(String name, Set<String> into) {
    ClassHead head = headOf(name);
    if (head != null) {
      for (String type : head.interfaces()) {
        if (into.add(type)) {
          addInterfaces(type, into);
        }
      }
      if (head.parent() != null) {
        addInterfaces(head.parent(), into);
      }
    } else if (!name.equals(OBJECT)) {
      Class<?> type = load(name, parent);
      if (type != null) {
        addInterfaces(type, into);
      }
    }
  }

  private static void addInterfaces(Class<?> type, Set<String> into) {
    for (Class<?> implemented : type.getInterfaces()) {
      if (into.add(Type.getInternalName(implemented))) {
        addInterfaces(implemented, into);
      }
    }
    if (type.getSuperclass() != null) {
      addInterfaces(type.getSuperclass(), into);
    }
  }

  private ClassHead headOf(String name) {
    return code.head(name.replace('/', '.'));
  }

  private static Class<?> load(String name, ClassLoader loader) {
    try {
      return Class.forName(name.replace('/', '.'), false, loader);
    } catch (ClassNotFoundException | LinkageError e) {
      return null;
    }
  }
}
