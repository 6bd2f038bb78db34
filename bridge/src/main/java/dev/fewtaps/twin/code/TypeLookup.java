package dev.fewtaps.twin.code;

import dev.fewtaps.twin.code.DexConverter.ClassHead;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Answers questions about classes by internal name, from the APK where it has them and from the
 * parent loader otherwise, without initialising any.
 */
final class TypeLookup {
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

  /** Whether {@code name} is {@code ancestor} or extends or implements it. */
  boolean isSubtype(String name, String ancestor) {
    if (name.equals(ancestor) || ancestor.equals("java/lang/Object")) {
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
    if (name.startsWith("[") || name.equals("java/lang/Object")) {
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
    if (name.equals("java/lang/Object")) {
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
    byte[] bytes = code.bytes(name.replace('/', '.'));
    if (bytes == null) {
      return false;
    }
    boolean[] found = new boolean[1];
    new ClassReader(bytes)
        .accept(
            new ClassVisitor(Opcodes.ASM9) {
              @Override
              public MethodVisitor visitMethod(
                  int access, String other, String otherDesc, String signature, String[] thrown) {
                found[0] |= other.equals(method) && otherDesc.equals(desc);
                return null;
              }
            },
            ClassReader.SKIP_CODE);
    return found[0];
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
