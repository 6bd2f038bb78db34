package dev.fewtaps.twin.code;

import dev.fewtaps.twin.code.DexConverter.ClassHead;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.FieldVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Tells which calls may leave the recorded classes and which methods may be called from outside.
 *
 * <p>All names of classes are internal ones. Nothing here loads a class.
 */
final class RecordedTypes {
  private static final String OBJECT = "java/lang/Object";

  /** Methods of Object that code outside may call on any object, by name and descriptor. */
  private static final Set<String> OF_ANY_OBJECT =
      Set.of(
          "equals(Ljava/lang/Object;)Z",
          "hashCode()I",
          "toString()Ljava/lang/String;",
          "clone()Ljava/lang/Object;",
          "finalize()V");

  private final AppCode code;
  private final Predicate<String> scope;
  private final Map<String, Members> members = new ConcurrentHashMap<>();
  private final Map<String, Boolean> outside = new ConcurrentHashMap<>();

  /**
   * Makes the answers for an APK.
   *
   * @param scope whether the class of a dotted name is recorded
   */
  RecordedTypes(AppCode code, Predicate<String> scope) {
    this.code = code;
    this.scope = scope;
  }

  /** Whether a class is in the APK and recorded. */
  boolean isRecorded(String type) {
    return !type.startsWith("[") && scope.test(type.replace('/', '.'));
  }

  /** Whether a call may reach code outside the recorded classes. */
  boolean isBeyond(int opcode, String owner, String name, String desc) {
    if (!isRecorded(owner)) {
      return true;
    }
    if (name.equals("<init>")) {
      return !hasCode(membersOf(owner).methods.get(name + desc));
    }
    Integer found = method(owner, name + desc);
    if (found == null) {
      return true;
    }
    boolean chosenByObject = opcode == Opcodes.INVOKEVIRTUAL || opcode == Opcodes.INVOKEINTERFACE;
    if (chosenByObject && (found & Opcodes.ACC_ABSTRACT) != 0) {
      // An object of the recorded class may have its method from Object, or from a class outside.
      return OF_ANY_OBJECT.contains(name + desc);
    }
    return !hasCode(found);
  }

  private static boolean hasCode(Integer access) {
    return access != null && (access & (Opcodes.ACC_ABSTRACT | Opcodes.ACC_NATIVE)) == 0;
  }

  /** The flags of a method in a recorded class or in the recorded types above it, or null. */
  private Integer method(String owner, String key) {
    Set<String> seen = new HashSet<>();
    for (String type = owner; type != null && isRecorded(type) && seen.add(type); ) {
      Integer found = membersOf(type).methods.get(key);
      if (found != null) {
        return found;
      }
      ClassHead head = head(type);
      type = head == null ? null : head.parent();
    }
    return interfaceMethod(owner, key, new HashSet<>());
  }

  private Integer interfaceMethod(String owner, String key, Set<String> seen) {
    if (!isRecorded(owner) || !seen.add(owner)) {
      return null;
    }
    Integer found = null;
    for (String type : typesAbove(head(owner))) {
      ClassHead above = isRecorded(type) ? head(type) : null;
      if (above != null) {
        Integer here = above.isInterface() ? membersOf(type).methods.get(key) : null;
        here = here == null ? interfaceMethod(type, key, seen) : here;
        found = here != null && (found == null || hasCode(here)) ? here : found;
      }
    }
    return found;
  }

  /**
   * The class that has a field which {@code owner} names: the recorded one that declares it, or the
   * first class outside on the way up.
   */
  String fieldOwner(String owner, String name, String desc) {
    Set<String> seen = new HashSet<>();
    for (String type = owner; type != null && seen.add(type); ) {
      if (!isRecorded(type)) {
        return type;
      }
      String declaring = fieldOwnerHere(type, name + ":" + desc, new HashSet<>());
      if (declaring != null) {
        return declaring;
      }
      ClassHead head = head(type);
      type = head == null ? null : head.parent();
    }
    return owner;
  }

  private String fieldOwnerHere(String type, String key, Set<String> seen) {
    if (!seen.add(type)) {
      return null;
    }
    if (membersOf(type).fields.contains(key)) {
      return type;
    }
    ClassHead head = head(type);
    for (String above : head == null ? List.<String>of() : head.interfaces()) {
      String found = isRecorded(above) ? fieldOwnerHere(above, key, seen) : null;
      if (found != null) {
        return found;
      }
    }
    return null;
  }

  /** Whether code outside may call a method of a recorded class, reflection aside. */
  boolean isCalledFromOutside(String owner, int access, String name, String desc) {
    if (name.equals("<clinit>") || (access & Opcodes.ACC_PRIVATE) != 0) {
      return false;
    }
    boolean isConstructor = name.equals("<init>");
    if ((access & Opcodes.ACC_STATIC) != 0) {
      return false;
    }
    if (!isConstructor && OF_ANY_OBJECT.contains(name + desc)) {
      return true;
    }
    return (access & (Opcodes.ACC_PUBLIC | Opcodes.ACC_PROTECTED)) != 0
        && hasAncestorOutside(owner);
  }

  /** Whether a recorded class extends or implements a type outside other than Object. */
  private boolean hasAncestorOutside(String type) {
    Boolean known = outside.get(type);
    if (known == null) {
      outside.put(type, false); // ends the search in a class that is its own ancestor
      known = false;
      for (String above : typesAbove(head(type))) {
        known |= !above.equals(OBJECT) && (!isRecorded(above) || hasAncestorOutside(above));
      }
      outside.put(type, known);
    }
    return known;
  }

  private static List<String> typesAbove(ClassHead head) {
    List<String> types = new ArrayList<>();
    if (head != null) {
      if (head.parent() != null) {
        types.add(head.parent());
      }
      types.addAll(head.interfaces());
    }
    return types;
  }

  private ClassHead head(String type) {
    return code.head(type.replace('/', '.'));
  }

  private Members membersOf(String type) {
    return members.computeIfAbsent(type, this::readMembers);
  }

  private Members readMembers(String type) {
    Members found = new Members(new HashMap<>(), new HashSet<>());
    byte[] bytes = code.bytes(type.replace('/', '.'));
    if (bytes != null) {
      new ClassReader(bytes).accept(found.reader(), ClassReader.SKIP_CODE | ClassReader.SKIP_DEBUG);
    }
    return found;
  }

  /** Methods with their flags and fields that a class declares, by name and descriptor. */
  private record Members(Map<String, Integer> methods, Set<String> fields) {
    ClassVisitor reader() {
      return new ClassVisitor(Opcodes.ASM9) {
        @Override
        public MethodVisitor visitMethod(
            int access, String name, String desc, String signature, String[] thrown) {
          methods.put(name + desc, access);
          return null;
        }

        @Override
        public FieldVisitor visitField(
            int access, String name, String desc, String signature, Object value) {
          fields.add(name + ":" + desc);
          return null;
        }
      };
    }
  }
}
