package dev.fewtaps.twin.code;

import com.googlecode.d2j.DexConstants;
import com.googlecode.d2j.DexLabel;
import com.googlecode.d2j.DexType;
import com.googlecode.d2j.Field;
import com.googlecode.d2j.Method;
import com.googlecode.d2j.Visibility;
import com.googlecode.d2j.converter.IR2JConverter;
import com.googlecode.d2j.dex.Dex2Asm;
import com.googlecode.d2j.node.DexAnnotationNode;
import com.googlecode.d2j.node.DexClassNode;
import com.googlecode.d2j.node.DexCodeNode;
import com.googlecode.d2j.node.DexDebugNode;
import com.googlecode.d2j.node.DexDebugNode.DexDebugOpNode;
import com.googlecode.d2j.node.DexFieldNode;
import com.googlecode.d2j.node.DexFileNode;
import com.googlecode.d2j.node.DexMethodNode;
import com.googlecode.d2j.node.insn.DexLabelStmtNode;
import com.googlecode.d2j.node.insn.DexStmtNode;
import com.googlecode.d2j.reader.DexFileReader;
import com.googlecode.d2j.reader.Op;
import com.googlecode.d2j.visitors.DexClassVisitor;
import com.googlecode.d2j.visitors.DexCodeVisitor;
import com.googlecode.d2j.visitors.DexFieldVisitor;
import com.googlecode.d2j.visitors.DexFileVisitor;
import com.googlecode.d2j.visitors.DexMethodVisitor;
import com.googlecode.dex2jar.ir.IrMethod;
import com.googlecode.dex2jar.ir.Trap;
import com.googlecode.dex2jar.ir.expr.Constant;
import com.googlecode.dex2jar.ir.expr.Exprs;
import com.googlecode.dex2jar.ir.expr.Value;
import com.googlecode.dex2jar.ir.stmt.Stmt;
import dev.fewtaps.twin.code.DexConverter.ClassHead;
import dev.fewtaps.twin.code.DexConverter.Converted;
import dev.fewtaps.twin.code.DexConverter.References;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.FieldVisitor;
import org.objectweb.asm.MethodTooLargeException;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.LabelNode;
import org.objectweb.asm.tree.LineNumberNode;
import org.objectweb.asm.tree.LocalVariableNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.TryCatchBlockNode;
import org.objectweb.asm.tree.VarInsnNode;

/**
 * Drives dex2jar. Loaded together with it by {@link RepeatableLoader}, so nothing here may touch
 * what is not public in this package.
 */
public final class DexTranslator implements DexConverter.Engine {
  /** No flags: the one that sounds like leniency, SKIP_EXCEPTION, leaves out every try block. */
  private static final int READ_ALL = 0;

  private static final int READ_HEAD = DexFileReader.SKIP_CODE | DexFileReader.SKIP_DEBUG;

  private static final int READ_MEMBERS = READ_HEAD | DexFileReader.SKIP_ANNOTATION;

  private static final int READ_CODE = DexFileReader.SKIP_DEBUG | DexFileReader.SKIP_ANNOTATION;

  /** The name of a variable while it holds a copy that no statement of the app makes. */
  public static final String MADE_COPY = "$copy";

  /**
   * The largest product of statements and registers of a method that is translated. dex2jar keeps
   * the state of all registers at each statement, more than once: about 30 bytes for each.
   */
  private static final long MOST_CELLS = 8_000_000;

  private static final String HEX_PREFIX = "$d2j$hex$fewtaps";

  private final Map<String, Place> places = new LinkedHashMap<>();
  private final NavigableSet<String> sortedNames = new TreeSet<>();
  private final boolean keepsLines;

  /**
   * Opens DEX files, in the order in which Android searches them.
   *
   * @param keepsLines whether assignments of constants and copies stay where they are, so that
   *     their lines have code
   */
  public DexTranslator(List<byte[]> dexFiles, boolean keepsLines) {
    this.keepsLines = keepsLines;
    for (byte[] dex : dexFiles) {
      DexFileReader reader = new DexFileReader(dex);
      int index = 0;
      for (String descriptor : reader.getClassNames()) {
        places.putIfAbsent(descriptor, new Place(reader, index++));
      }
    }
    sortedNames.addAll(places.keySet());
  }

  @Override
  public List<String> classNames() {
    List<String> names = new ArrayList<>(places.size());
    for (String descriptor : places.keySet()) {
      names.add(descriptor.substring(1, descriptor.length() - 1));
    }
    return names;
  }

  @Override
  public ClassHead head(String internalName) {
    Place place = places.get(descriptor(internalName));
    if (place == null) {
      return null;
    }
    ClassHead[] head = new ClassHead[1];
    DexFileVisitor visitor =
        new DexFileVisitor() {
          @Override
          public DexClassVisitor visit(
              int access, String name, String parent, String[] interfaces) {
            head[0] = headOf(access, parent, interfaces);
            return null;
          }
        };
    synchronized (place.reader) {
      place.reader.accept(visitor, place.index, READ_HEAD);
    }
    return head[0];
  }

  @Override
  public Map<String, Integer> methods(String internalName) {
    Place place = places.get(descriptor(internalName));
    if (place == null) {
      return null;
    }
    Map<String, Integer> found = new HashMap<>();
    DexFileVisitor visitor =
        new DexFileVisitor() {
          @Override
          public DexClassVisitor visit(
              int access, String name, String parent, String[] interfaces) {
            return new DexClassVisitor() {
              @Override
              public DexMethodVisitor visitMethod(int flags, Method method) {
                found.put(method.getName() + method.getDesc(), flags);
                return null;
              }
            };
          }
        };
    synchronized (place.reader) {
      place.reader.accept(visitor, place.index, READ_MEMBERS);
    }
    return found;
  }

  @Override
  public References references(String internalName) {
    Place place = places.get(descriptor(internalName));
    if (place == null) {
      return null;
    }
    ReferenceCollector collector = new ReferenceCollector();
    synchronized (place.reader) {
      try {
        place.reader.accept(collector, place.index, READ_CODE);
      } catch (RuntimeException e) {
        // Code that cannot be read mentions what was read of it.
      }
    }
    return new References(collector.shape, collector.code, collector.checks, collector.makesChecks);
  }

  private static ClassHead headOf(int access, String parent, String[] interfaces) {
    List<String> names = new ArrayList<>();
    if (interfaces != null) {
      for (String name : interfaces) {
        names.add(Type.getType(name).getInternalName());
      }
    }
    return new ClassHead(
        access,
        parent == null ? null : Type.getType(parent).getInternalName(),
        Collections.unmodifiableList(names));
  }

  @Override
  public Converted convert(String internalName) {
    Map<String, String> broken = new LinkedHashMap<>();
    Set<String> compact = keepsLines ? new HashSet<>() : null;
    Set<String> parted = new HashSet<>();
    // Each round either succeeds or names one more method that needs less room or is left out.
    while (true) {
      int known = broken.size();
      byte[] bytes = null;
      String reason = "";
      try {
        bytes = translate(internalName, broken, compact, parted);
      } catch (MethodTooLargeException e) {
        String method = e.getMethodName() + e.getDescriptor();
        if (compact != null && compact.add(method) || parted.add(method)) {
          continue;
        }
        broken.put(method, "it is too large");
      } catch (RuntimeException | StackOverflowError e) {
        reason = e.toString();
      }
      if (bytes != null) {
        return new Converted(bytes, notes(internalName, broken));
      }
      if (broken.size() == known) {
        String dotted = internalName.replace('/', '.');
        return new Converted(
            null, List.of("class " + dotted + " could not be translated: " + firstLine(reason)));
      }
    }
  }

  private static List<String> notes(String internalName, Map<String, String> broken) {
    List<String> notes = new ArrayList<>();
    for (String method : broken.keySet()) {
      notes.add("method " + readable(internalName, method) + " could not be translated");
    }
    return notes;
  }

  private static String readable(String internalName, String method) {
    int open = method.indexOf('(');
    StringBuilder text = new StringBuilder(internalName.replace('/', '.'));
    text.append('.').append(method, 0, open).append('(');
    String separator = "";
    for (Type argument : Type.getArgumentTypes(method.substring(open))) {
      text.append(separator).append(argument.getClassName());
      separator = ", ";
    }
    return text.append(')').toString();
  }

  private static String firstLine(String text) {
    int end = text.indexOf('\n');
    return end < 0 ? text : text.substring(0, end);
  }

  private static String descriptor(String internalName) {
    return "L" + internalName + ";";
  }

  private byte[] translate(
      String internalName, Map<String, String> broken, Set<String> compact, Set<String> parted) {
    DexClassNode node = read(internalName, READ_ALL, broken);
    ConstructorCalls.nameBoth(node);
    DexFileNode family = new DexFileNode();
    family.clzs.add(node);
    makeMutual(node);
    addOuter(node, family, new HashSet<>(Set.of(node.className)));
    addInner(node, family, new HashSet<>(Set.of(node.className)));
    ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
    new Translator(broken, compact, parted)
        .translate(node, family, new Finisher(ConstructorCalls.takingApart(writer), node));
    return writer.toByteArray();
  }

  /** Reads a class; code that cannot even be read is left out and listed as broken. */
  private DexClassNode read(String internalName, int config, Map<String, String> broken) {
    Place place = places.get(descriptor(internalName));
    while (true) {
      TolerantFileNode file = new TolerantFileNode(broken);
      RuntimeException failure;
      try {
        synchronized (place.reader) {
          place.reader.accept(file, place.index, config);
        }
        return file.clzs.get(0);
      } catch (RuntimeException e) {
        failure = e;
      }
      if (file.current == null || broken.containsKey(file.current)) {
        if ((config & DexFileReader.SKIP_ANNOTATION) != 0) {
          throw failure;
        }
        config |= DexFileReader.SKIP_ANNOTATION;
      } else {
        broken.put(file.current, failure.toString());
      }
    }
  }

  /** Adds the classes around a class, which its InnerClasses attribute names. */
  private void addOuter(DexClassNode node, DexFileNode family, Set<String> seen) {
    String outer = outerOf(node);
    if (outer != null && seen.add(outer)) {
      DexClassNode other = readHead(outer);
      family.clzs.add(other);
      addOuter(other, family, seen);
    }
  }

  /** Adds the classes inside a class, and those inside them. */
  private void addInner(DexClassNode node, DexFileNode family, Set<String> seen) {
    Set<String> candidates = new LinkedHashSet<>(members(node));
    String prefix = node.className.substring(0, node.className.length() - 1) + "$";
    candidates.addAll(sortedNames.subSet(prefix, prefix + Character.MAX_VALUE));
    Set<String> members = members(node);
    for (String candidate : candidates) {
      if (seen.contains(candidate) || !places.containsKey(candidate)) {
        continue;
      }
      DexClassNode other = readHead(candidate);
      if (members.contains(candidate) || node.className.equals(outerOf(other))) {
        seen.add(candidate);
        family.clzs.add(other);
        addInner(other, family, seen);
      }
    }
  }

  private DexClassNode readHead(String descriptor) {
    DexClassNode node =
        read(descriptor.substring(1, descriptor.length() - 1), READ_HEAD, new HashMap<>());
    makeMutual(node);
    return node;
  }

  /**
   * Forgets the class around a class unless that one will know of it, and members that are absent:
   * shrinkers leave such halves behind, and the JVM throws when it is asked about them.
   */
  private void makeMutual(DexClassNode node) {
    if (node.anns == null) {
      return;
    }
    String outer = outerOf(node);
    if (outer != null && !knows(outer, node.className)) {
      node.anns.removeIf(annotation -> isSystem(annotation) && isEnclosing(annotation.type));
    }
    for (DexAnnotationNode annotation : node.anns) {
      if (isSystem(annotation)
          && annotation.type.equals(DexConstants.ANNOTATION_MEMBER_CLASSES_TYPE)) {
        for (DexAnnotationNode.Item item : annotation.items) {
          if (item.value instanceof Object[] types) {
            item.value = Arrays.stream(types).filter(this::isPresent).toArray();
          }
        }
      }
    }
  }

  private boolean isPresent(Object type) {
    return type instanceof DexType found && places.containsKey(found.desc);
  }

  private boolean knows(String outer, String inner) {
    if (!places.containsKey(outer) || outer.equals(inner)) {
      return false;
    }
    if (inner.startsWith(outer.substring(0, outer.length() - 1) + "$")) {
      return true;
    }
    String name = outer.substring(1, outer.length() - 1);
    return members(read(name, READ_HEAD, new HashMap<>())).contains(inner);
  }

  private static boolean isSystem(DexAnnotationNode annotation) {
    return annotation.visibility == Visibility.SYSTEM;
  }

  private static boolean isEnclosing(String type) {
    return type.equals(DexConstants.ANNOTATION_ENCLOSING_CLASS_TYPE)
        || type.equals(DexConstants.ANNOTATION_ENCLOSING_METHOD_TYPE);
  }

  /** The descriptor of the class around a class, or null. */
  private static String outerOf(DexClassNode node) {
    if (node.anns != null) {
      for (DexAnnotationNode annotation : node.anns) {
        if (isSystem(annotation) && isEnclosing(annotation.type)) {
          for (DexAnnotationNode.Item item : annotation.items) {
            if (item.value instanceof DexType type) {
              return type.desc;
            }
            if (item.value instanceof Method method) {
              return method.getOwner();
            }
          }
        }
      }
    }
    return null;
  }

  /** The descriptors of the classes that a class lists as its members. */
  private static Set<String> members(DexClassNode node) {
    Set<String> members = new LinkedHashSet<>();
    if (node.anns != null) {
      for (DexAnnotationNode annotation : node.anns) {
        if (isSystem(annotation)
            && annotation.type.equals(DexConstants.ANNOTATION_MEMBER_CLASSES_TYPE)) {
          for (DexAnnotationNode.Item item : annotation.items) {
            if (item.value instanceof Object[] types) {
              for (Object type : types) {
                members.add(((DexType) type).desc);
              }
            }
          }
        }
      }
    }
    return members;
  }

  /** Where a class is: which DEX file, which position in it. */
  private record Place(DexFileReader reader, int index) {}

  /** Collects the classes that a class mentions. */
  private static final class ReferenceCollector extends DexFileVisitor {
    private static final String CHECK = "(Ljava/lang/Object;Ljava/lang/String;)V";
    private static final String CHECK_TEXT = "Parameter specified as non-null is null";

    private final Set<String> shape = new LinkedHashSet<>();
    private final Set<String> code = new LinkedHashSet<>();
    private final Set<String> checks = new LinkedHashSet<>();
    private boolean makesChecks;

    @Override
    public DexClassVisitor visit(int access, String name, String parent, String[] interfaces) {
      add(parent, shape);
      if (interfaces != null) {
        Arrays.stream(interfaces).forEach(type -> add(type, shape));
      }
      return new DexClassVisitor() {
        @Override
        public DexFieldVisitor visitField(int flags, Field field, Object value) {
          add(field.getType(), shape);
          return null;
        }

        @Override
        public DexMethodVisitor visitMethod(int flags, Method method) {
          addTypes(method, shape);
          return new DexMethodVisitor() {
            @Override
            public DexCodeVisitor visitCode() {
              return codeVisitor();
            }
          };
        }
      };
    }

    private DexCodeVisitor codeVisitor() {
      return new DexCodeVisitor() {
        @Override
        public void visitTypeStmt(Op op, int a, int b, String type) {
          add(type, code);
        }

        @Override
        public void visitFieldStmt(Op op, int a, int b, Field field) {
          add(field.getOwner(), code);
        }

        @Override
        public void visitMethodStmt(Op op, int[] arguments, Method method) {
          add(method.getOwner(), code);
          if (isStatic(op) && method.getDesc().equals(CHECK)) {
            add(method.getOwner(), checks);
          }
        }

        @Override
        public void visitConstStmt(Op op, int register, Object value) {
          if (value instanceof DexType type) {
            add(type.desc, code);
          }
          makesChecks |= value instanceof String text && text.startsWith(CHECK_TEXT);
        }
      };
    }

    private static boolean isStatic(Op op) {
      return op == Op.INVOKE_STATIC || op == Op.INVOKE_STATIC_RANGE;
    }

    private static void addTypes(Method method, Set<String> into) {
      add(method.getReturnType(), into);
      Arrays.stream(method.getParameterTypes()).forEach(type -> add(type, into));
    }

    private static void add(String descriptor, Set<String> into) {
      if (descriptor != null && descriptor.endsWith(";")) {
        into.add(descriptor.substring(descriptor.lastIndexOf('[') + 2, descriptor.length() - 1));
      }
    }
  }

  /** Remembers the method being read and skips the code of broken ones. */
  private static final class TolerantFileNode extends DexFileNode {
    private final Map<String, String> broken;
    private String current;

    TolerantFileNode(Map<String, String> broken) {
      this.broken = broken;
    }

    @Override
    public DexClassVisitor visit(int access, String name, String parent, String[] interfaces) {
      DexClassNode node =
          new DexClassNode(access, name, parent, interfaces) {
            @Override
            public DexMethodVisitor visitMethod(int flags, Method method) {
              String key = method.getName() + method.getDesc();
              current = key;
              DexMethodNode methodNode =
                  new DexMethodNode(flags, method) {
                    @Override
                    public DexCodeVisitor visitCode() {
                      return broken.containsKey(key) ? null : super.visitCode();
                    }
                  };
              if (methods == null) {
                methods = new ArrayList<>();
              }
              methods.add(methodNode);
              return methodNode;
            }
          };
      clzs.add(node);
      return node;
    }
  }

  /** Drives dex2jar for one class. */
  private final class Translator extends Dex2Asm {
    private final Map<String, String> broken;

    /** Methods for which lines cannot be kept, or null where none are. */
    private final Set<String> compact;

    /** Methods that are too large for the JVM as one. */
    private final Set<String> parted;

    private boolean isInterface;
    private ClassVisitor target;

    /** Whether the statements of the present method stay as they are in DEX. */
    private boolean faithful;

    Translator(Map<String, String> broken, Set<String> compact, Set<String> parted) {
      this.broken = broken;
      this.compact = compact;
      this.parted = parted;
    }

    void translate(DexClassNode node, DexFileNode family, ClassVisitor visitor) {
      isInterface = (node.access & Opcodes.ACC_INTERFACE) != 0;
      target = visitor;
      convertClass(family, node, name -> visitor, collectClzInfo(family));
    }

    @Override
    public void convertField(DexClassNode owner, DexFieldNode field, ClassVisitor visitor) {
      if ((field.access & Opcodes.ACC_SYNTHETIC) == 0) {
        super.convertField(owner, field, visitor);
        return;
      }
      // dex2jar forgets that a field is synthetic, and JSON libraries would then write this$0.
      super.convertField(
          owner,
          field,
          new ClassVisitor(Opcodes.ASM9, visitor) {
            @Override
            public FieldVisitor visitField(
                int access, String name, String desc, String signature, Object value) {
              return super.visitField(access | Opcodes.ACC_SYNTHETIC, name, desc, signature, value);
            }
          });
    }

    @Override
    public void convertMethod(
        DexClassNode owner, DexMethodNode method, ClassVisitor visitor, ClzCtx context) {
      int codeless = Opcodes.ACC_ABSTRACT | Opcodes.ACC_NATIVE;
      boolean lost = method.codeNode == null && (method.access & codeless) == 0;
      if (!lost) {
        super.convertMethod(owner, method, visitor, context);
        return;
      }
      super.convertMethod(
          owner,
          method,
          new ClassVisitor(Opcodes.ASM9, visitor) {
            @Override
            public MethodVisitor visitMethod(
                int access, String name, String desc, String signature, String[] exceptions) {
              MethodVisitor target = super.visitMethod(access, name, desc, signature, exceptions);
              return new MethodVisitor(Opcodes.ASM9, target) {
                @Override
                public void visitEnd() {
                  target.visitCode();
                  throwInstead(method, target);
                  super.visitEnd();
                }
              };
            }
          },
          context);
    }

    @Override
    public void convertCode(DexMethodNode method, MethodVisitor visitor, ClzCtx context) {
      String key = method.method.getName() + method.method.getDesc();
      boolean isLarge = parted.contains(key) || isTooLarge(method);
      if (compact != null && !compact.contains(key) && !broken.containsKey(key) && !isLarge) {
        faithful = true;
        try {
          convert(method, visitor, context);
          return;
        } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
          compact.add(key);
        } finally {
          faithful = false;
        }
      }
      String reason = "it is too large";
      if (!broken.containsKey(key) && !isLarge) {
        try {
          convert(method, visitor, context);
          return;
        } catch (RuntimeException | StackOverflowError e) {
          reason = e.toString();
        } catch (OutOfMemoryError e) {
          reason = "it takes too much memory";
        }
      }
      if (!broken.containsKey(key) && PartedMethod.canTranslate(method.codeNode)) {
        PartedMethod.translate(method, isInterface, visitor, target);
        return;
      }
      broken.putIfAbsent(key, reason);
      throwInstead(method, visitor);
    }

    private static boolean isTooLarge(DexMethodNode method) {
      DexCodeNode code = method.codeNode;
      return (long) code.stmts.size() * code.totalRegister > MOST_CELLS;
    }

    private void convert(DexMethodNode method, MethodVisitor visitor, ClzCtx context) {
      MethodNode code =
          new MethodNode(
              Opcodes.ASM9,
              method.access,
              method.method.getName(),
              method.method.getDesc(),
              null,
              null);
      if (faithful) {
        Statements statements = new Statements(method);
        try {
          super.convertCode(method, code, context);
        } finally {
          statements.restore();
        }
        statements.describe(code);
      } else {
        super.convertCode(method, code, context);
      }
      code.accept(visitor);
    }

    /** The order of dex2jar's own command line, which is the one that is used most. */
    @Override
    public void optimize(IrMethod method) {
      if (faithful) {
        keepStatements(method);
        return;
      }
      T_CLEAN_LABEL.transform(method);
      holdAbsentClasses(method);
      removeDead(method);
      T_ZERO.transform(method);
      if (T_NPE.transformReportChanged(method)) {
        removeDead(method);
      }
      T_NEW.transform(method);
      T_FILL_ARRAY.transform(method);
      T_AGG.transform(method);
      T_MULTI_ARRAY.transform(method);
      T_VOID_INVOKE.transform(method);
      removeDead(method);
      assign(method);
      T_TRIM_EX.transform(method);
    }

    /**
     * Makes the naming of a class that the app does not have a call where it stands in a try block.
     *
     * <p>Libraries ask so whether another one is there, and catch the NoClassDefFoundError. dex2jar
     * takes a class for a constant that cannot throw: it moves it to where it is used, and the
     * statement out of the block.
     */
    private void holdAbsentClasses(IrMethod method) {
      for (Trap trap : method.traps) {
        for (Stmt each = trap.start; each != null && each != trap.end; each = each.getNext()) {
          if (each.st == Stmt.ST.ASSIGN
              && each.getOp2() instanceof Constant constant
              && constant.value instanceof DexType type
              && isAbsent(type.desc)) {
            Value held =
                Exprs.nInvokeStatic(
                    new Value[] {constant},
                    "Ljava/util/Objects;",
                    "requireNonNull",
                    new String[] {"Ljava/lang/Object;"},
                    "Ljava/lang/Object;");
            each.setOp2(Exprs.nCheckCast(held, "Ljava/lang/Class;"));
          }
        }
      }
    }

    private boolean isAbsent(String descriptor) {
      return descriptor.endsWith(";")
          && !places.containsKey(descriptor.substring(descriptor.lastIndexOf('[') + 1));
    }

    private static void removeDead(IrMethod method) {
      T_DEAD_CODE.transform(method);
      T_REMOVE_LOCAL.transform(method);
      T_REMOVE_CONST.transform(method);
    }

    /**
     * Leaves out all that moves, joins or drops statements: constants and copies stay where they
     * are, an object is made before the arguments of its constructor, as in DEX, a division by a
     * constant zero stays a division. Try ranges stay whole: dex2jar would take divisions and
     * stores that stand alone out of them.
     */
    private static void keepStatements(IrMethod method) {
      T_CLEAN_LABEL.transform(method);
      T_DEAD_CODE.transform(method);
      T_ZERO.transform(method);
      T_VOID_INVOKE.transform(method);
      assign(method);
    }

    /** Gives the values their types and their local variables. */
    private static void assign(IrMethod method) {
      T_TYPE.transform(method);
      T_UNSSA.transform(method);
      T_IR_2_J_REG_ASSIGN.transform(method);
    }

    @Override
    public void ir2j(IrMethod method, MethodVisitor visitor, ClzCtx context) {
      // dex2jar picks a random name for the helper that unpacks large arrays.
      ClzCtx fixed =
          new ClzCtx() {
            @Override
            public String buildHexDecodeMethodName(String suffix) {
              context.hexDecodeMethodNamePrefix = HEX_PREFIX;
              return HEX_PREFIX + "$decode_" + suffix;
            }
          };
      fixed.classDescriptor = context.classDescriptor;
      new IR2JConverter()
          .optimizeSynchronized(false)
          .clzCtx(fixed)
          .ir(method)
          .asm(visitor)
          .convert();
      visitor.visitMaxs(-1, -1);
    }

    private void throwInstead(DexMethodNode method, MethodVisitor visitor) {
      String key = method.method.getName() + method.method.getDesc();
      broken.putIfAbsent(key, "it has no code");
      String owner = Type.getType(method.method.getOwner()).getInternalName();
      visitor.visitTypeInsn(Opcodes.NEW, "java/lang/VerifyError");
      visitor.visitInsn(Opcodes.DUP);
      visitor.visitLdcInsn("method " + readable(owner, key) + " could not be translated from DEX");
      visitor.visitMethodInsn(
          Opcodes.INVOKESPECIAL, "java/lang/VerifyError", "<init>", "(Ljava/lang/String;)V", false);
      visitor.visitInsn(Opcodes.ATHROW);
      visitor.visitMaxs(-1, -1);
    }
  }

  /**
   * Follows the statements of a method through its translation, by line numbers that are the
   * statements' own; afterwards gives the translated method its lines and the names of its
   * variables.
   */
  private static final class Statements {
    /** Operations that name a register first and do not write it. */
    private static final List<String> READERS =
        List.of("IPUT", "SPUT", "APUT", "RETURN", "THROW", "MONITOR", "FILL_ARRAY");

    private final DexMethodNode method;
    private final List<DexStmtNode> original;
    private final DexDebugNode originalDebug;

    /** By statement: its line, the register that it writes or -1, and the name of that then. */
    private final List<Integer> lines = new ArrayList<>(List.of(0));

    private final List<Integer> written = new ArrayList<>(List.of(-1));
    private final List<String> names = new ArrayList<>(Collections.singletonList(null));

    Statements(DexMethodNode method) {
      this.method = method;
      this.original = method.codeNode.stmts;
      this.originalDebug = method.codeNode.debugNode;
      number();
    }

    void restore() {
      method.codeNode.stmts = original;
      method.codeNode.debugNode = originalDebug;
    }

    private void number() {
      Map<DexLabel, List<DexDebugOpNode>> debug = new IdentityHashMap<>();
      if (originalDebug != null) {
        for (DexDebugOpNode node : originalDebug.debugNodes) {
          debug.computeIfAbsent(node.label, key -> new ArrayList<>()).add(node);
        }
      }
      List<DexStmtNode> numbered = new ArrayList<>();
      DexDebugNode numbers = new DexDebugNode();
      int line = 0;
      DexLabel label = null;
      for (DexStmtNode statement : original) {
        if (statement instanceof DexLabelStmtNode place) {
          label = place.label;
          for (DexDebugOpNode node : debug.getOrDefault(label, List.of())) {
            line = node instanceof DexDebugOpNode.LineNumber number ? number.line : line;
          }
          numbered.add(statement);
          continue;
        }
        if (!isResult(statement)) {
          if (label == null) {
            label = new DexLabel();
            numbered.add(new DexLabelStmtNode(label));
          }
          numbers.visitLineNumber(lines.size(), label);
          lines.add(line);
          written.add(writes(statement));
          names.add(null);
        } else {
          written.set(written.size() - 1, writes(statement));
        }
        numbered.add(statement);
        label = null;
      }
      method.codeNode.stmts = numbered;
      method.codeNode.debugNode = numbers;
      nameWrites(debug);
    }

    /** A name begins at a label behind the statement that gives the variable its value. */
    private void nameWrites(Map<DexLabel, List<DexDebugOpNode>> debug) {
      Map<Integer, String> known = new HashMap<>();
      Map<Integer, String> ended = new HashMap<>();
      int number = 0;
      for (DexStmtNode statement : original) {
        if (statement instanceof DexLabelStmtNode place) {
          for (DexDebugOpNode node : debug.getOrDefault(place.label, List.of())) {
            name(node, known, ended);
          }
        } else if (!isResult(statement)) {
          keepName(number, known);
          number++;
        }
      }
      keepName(number, known);
    }

    private void keepName(int number, Map<Integer, String> known) {
      names.set(number, known.get(written.get(number)));
    }

    private static void name(
        DexDebugOpNode node, Map<Integer, String> known, Map<Integer, String> ended) {
      if (node instanceof DexDebugOpNode.StartLocalNode start) {
        known.put(start.reg, start.name);
      } else if (node instanceof DexDebugOpNode.EndLocal end) {
        ended.put(end.reg, known.remove(end.reg));
      } else if (node instanceof DexDebugOpNode.RestartLocal restart) {
        known.put(restart.reg, ended.get(restart.reg));
      }
    }

    /** The register that a statement writes, or -1. */
    private static int writes(DexStmtNode statement) {
      String op = statement.op.name();
      for (String prefix : READERS) {
        if (op.startsWith(prefix)) {
          return -1;
        }
      }
      return ConstructorCalls.written(statement);
    }

    private static boolean isResult(DexStmtNode statement) {
      return statement.op == Op.MOVE_RESULT
          || statement.op == Op.MOVE_RESULT_OBJECT
          || statement.op == Op.MOVE_RESULT_WIDE;
    }

    /** Lets try ranges begin with the first instruction in them that can throw. */
    private static void trim(MethodNode code) {
      for (Iterator<TryCatchBlockNode> all = code.tryCatchBlocks.iterator(); all.hasNext(); ) {
        TryCatchBlockNode range = all.next();
        AbstractInsnNode first = range.start;
        while (first != range.end && !canThrow(first)) {
          first = first.getNext();
        }
        if (first == range.end) {
          all.remove();
        } else if (first != range.start) {
          range.start = new LabelNode();
          code.instructions.insertBefore(first, range.start);
        }
      }
    }

    private static boolean canThrow(AbstractInsnNode node) {
      int opcode = node.getOpcode();
      boolean isPlain =
          opcode < Opcodes.LDC
              || opcode >= Opcodes.ILOAD && opcode <= Opcodes.ALOAD
              || opcode >= Opcodes.ISTORE && opcode <= Opcodes.ASTORE;
      return !isPlain;
    }

    /** Turns numbers of statements into lines, and names the variables. */
    void describe(MethodNode code) {
      trim(code);
      code.localVariables = new ArrayList<>();
      Map<Integer, LocalVariableNode> open = new HashMap<>();
      openParameters(code, open);
      int statement = 0;
      int line = 0;
      boolean stored = false;
      for (AbstractInsnNode node : code.instructions.toArray()) {
        if (node instanceof LineNumberNode number) {
          statement = number.line;
          stored = false;
          if (lines.get(statement) == line || lines.get(statement) == 0) {
            code.instructions.remove(node);
          } else {
            line = lines.get(statement);
            number.line = line;
          }
        } else if (node instanceof VarInsnNode store && store.getOpcode() >= Opcodes.ISTORE) {
          LabelNode after = new LabelNode();
          code.instructions.insert(store, after);
          LocalVariableNode before = open.remove(store.var);
          if (before != null) {
            before.end = after;
          }
          // A statement writes one register; other stores are copies that the translation made.
          boolean copy = stored || written.get(statement) < 0;
          String name = copy ? MADE_COPY : names.get(statement);
          stored = true;
          if (name != null) {
            open(code, open, name, typeOf(store), store.var, after);
          }
        }
      }
      LabelNode end = new LabelNode();
      code.instructions.add(end);
      open.values().forEach(variable -> variable.end = end);
    }

    private void openParameters(MethodNode code, Map<Integer, LocalVariableNode> open) {
      LabelNode start = new LabelNode();
      code.instructions.insert(start);
      boolean isStatic = (method.access & Opcodes.ACC_STATIC) != 0;
      int local = isStatic ? 0 : 1;
      if (!isStatic) {
        open(code, open, "this", method.method.getOwner(), 0, start);
      }
      String[] types = method.method.getParameterTypes();
      List<String> given = originalDebug == null ? null : originalDebug.parameterNames;
      for (int i = 0; i < types.length; i++) {
        if (given != null && i < given.size() && given.get(i) != null) {
          open(code, open, given.get(i), types[i], local, start);
        }
        local += Type.getType(types[i]).getSize();
      }
    }

    private static void open(
        MethodNode code,
        Map<Integer, LocalVariableNode> open,
        String name,
        String desc,
        int local,
        LabelNode start) {
      LocalVariableNode variable = new LocalVariableNode(name, desc, null, start, start, local);
      open.put(local, variable);
      code.localVariables.add(variable);
    }

    private static String typeOf(VarInsnNode store) {
      return switch (store.getOpcode()) {
        case Opcodes.ISTORE -> "I";
        case Opcodes.LSTORE -> "J";
        case Opcodes.FSTORE -> "F";
        case Opcodes.DSTORE -> "D";
        default -> "Ljava/lang/Object;";
      };
    }
  }

  /**
   * Puts back the source file's name and sets a class version that the JVM accepts.
   *
   * <p>Apps built for coverage already have JaCoCo's members; those get other names, because JaCoCo
   * refuses a class that has them.
   */
  private static final class Finisher extends ClassVisitor {
    private static final String JACOCO = "$jacoco";
    private static final String THEIR_JACOCO = "$apk$jacoco";

    private final DexClassNode node;

    Finisher(ClassVisitor next, DexClassNode node) {
      super(Opcodes.ASM9, next);
      this.node = node;
    }

    @Override
    public void visit(
        int version,
        int access,
        String name,
        String signature,
        String parent,
        String[] interfaces) {
      super.visit(neededVersion(), access, name, signature, parent, interfaces);
      if (node.source != null) {
        super.visitSource(node.source, null);
      }
    }

    @Override
    public MethodVisitor visitMethod(
        int access, String name, String desc, String signature, String[] exceptions) {
      int flags = name.startsWith(HEX_PREFIX) ? access | Opcodes.ACC_SYNTHETIC : access;
      MethodVisitor next = super.visitMethod(flags, renamed(name), desc, signature, exceptions);
      return new MethodVisitor(Opcodes.ASM9, next) {
        @Override
        public void visitMethodInsn(
            int opcode, String owner, String called, String calledDesc, boolean itf) {
          super.visitMethodInsn(opcode, owner, renamed(called), calledDesc, itf);
        }

        @Override
        public void visitFieldInsn(int opcode, String owner, String field, String fieldDesc) {
          super.visitFieldInsn(opcode, owner, renamed(field), fieldDesc);
        }
      };
    }

    @Override
    public FieldVisitor visitField(
        int access, String name, String desc, String signature, Object value) {
      return super.visitField(access, renamed(name), desc, signature, value);
    }

    private static String renamed(String name) {
      return name.startsWith(JACOCO) ? THEIR_JACOCO + name.substring(JACOCO.length()) : name;
    }

    /** Version 50 can live without stack frames; some things came only with version 52. */
    private int neededVersion() {
      boolean isInterface = (node.access & Opcodes.ACC_INTERFACE) != 0;
      if (node.methods != null) {
        for (DexMethodNode method : node.methods) {
          boolean hasBody = (method.access & Opcodes.ACC_ABSTRACT) == 0;
          boolean inInterface = isInterface && !method.method.getName().equals("<clinit>");
          if (hasBody && inInterface || usesMethodHandles(method)) {
            return Opcodes.V1_8;
          }
        }
      }
      return Opcodes.V1_6;
    }

    private static boolean usesMethodHandles(DexMethodNode method) {
      if (method.codeNode == null) {
        return false;
      }
      for (DexStmtNode statement : method.codeNode.stmts) {
        if (statement.op != null) {
          switch (statement.op) {
            case INVOKE_CUSTOM,
                INVOKE_CUSTOM_RANGE,
                INVOKE_POLYMORPHIC,
                INVOKE_POLYMORPHIC_RANGE,
                CONST_METHOD_HANDLE,
                CONST_METHOD_TYPE -> {
              return true;
            }
            default -> {}
          }
        }
      }
      return false;
    }
  }
}
